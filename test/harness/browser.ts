/** A page as a browser without scripts has it: its text, its forms, where it is. */
interface LoadedPage {
  readonly status: number
  readonly url: string
  readonly text: string
  readonly headers: Headers
  readonly forms: readonly Form[]
}

interface Form {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Index of the form on the page. */
  readonly form?: number
}

/** Keeps cookies, follows redirects within the server and sends forms as they stand in the page. */
export interface Browser {
  readonly cookies: Map<string, string>
  open(path: string): Promise<LoadedPage>
  /** Sends a form of the page that is open, with these fields filled in. */
  send(fields: Readonly<Record<string, string>>, options?: SendOptions): Promise<LoadedPage>
  readonly page: LoadedPage
}

const MOST_REDIRECTS = 5

export function createBrowser(root: string): Browser {
  const cookies = new Map<string, string>()
  let page: LoadedPage | undefined

  const load = async (url: string, init: RequestInit = {}, hops = 0): Promise<LoadedPage> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) },
    })
    for (const line of response.headers.getSetCookie()) keep(line)
    const location = response.headers.get('location')
    const target = location === null ? undefined : new URL(location, url)
    if (target && target.origin === new URL(root).origin && hops < MOST_REDIRECTS)
      return load(target.href, {}, hops + 1)
    const text = await response.text()
    page = {
      status: response.status,
      url: target?.href ?? url,
      text,
      headers: response.headers,
      forms: readForms(text),
    }
    return page
  }

  const keep = (line: string): void => {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
    if (/Max-Age=0/.test(line)) cookies.delete(name!)
    else cookies.set(name!, value!)
  }

  return {
    cookies,
    get page() {
      return page!
    },
    open: (path) => load(new URL(path, root).href),
    async send(fields, { headers = {}, form = 0 } = {}) {
      const { action, fields: hidden } = page!.forms[form]!
      return load(new URL(action, page!.url).href, {
        method: 'POST',
        headers: { origin: new URL(root).origin, ...headers },
        body: new URLSearchParams({ ...hidden, ...fields }),
      })
    },
  }
}

function readForms(text: string): Form[] {
  return [...text.matchAll(/<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/g)].map(([, action, inside]) => ({
    action: unescape(action!),
    fields: Object.fromEntries(
      [...inside!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [
        name!,
        unescape(value!),
      ]),
    ),
  }))
}

const unescape = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
