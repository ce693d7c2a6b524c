import { listOf, parseJson } from '../../platform/json-members.ts'
import type { OutgoingClient, OutgoingHead } from '../../platform/outgoing/index.ts'
import { ForgeError } from './source.ts'

/** The HTTP API of another service. Throws ForgeError and OutgoingError. */
interface ForgeApi {
  get(path: string, signal: AbortSignal): Promise<unknown>
  /** A list, page by page to its end, whatever page size the service allows. */
  pages(path: string, signal: AbortSignal): AsyncIterable<readonly unknown[]>
  /** Streams what is at an address; credentials go along if it is the service's own. */
  download<T>(
    url: string,
    options: { readonly headers?: Readonly<Record<string, string>> | undefined; readonly signal: AbortSignal },
    take: (bytes: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T>
}

interface ForgeApiOptions {
  readonly client: OutgoingClient
  /** Such as `https://host/api/v1`. */
  readonly base: string
  /** Sent to the origin of the base and of `home` alone. */
  readonly credentials: Readonly<Record<string, string>>
  /** Where the service serves its pages and files. */
  readonly home: string
  readonly headers?: Readonly<Record<string, string>>
  /** Of lists: name of the parameter that says how many items of a page, and how many. */
  readonly perPage: readonly [name: string, count: number]
  /** For one file, in milliseconds. */
  readonly timeout: number
}

const MAX_REDIRECTS = 5
const MAX_PAGE = 64 * 1024 * 1024
const PAGE_TIMEOUT = 60_000
/** A service that never comes to an end of its list. */
const MAX_PAGES = 10_000

export function createForgeApi({
  client,
  base,
  home,
  credentials,
  headers = {},
  perPage,
  timeout,
}: ForgeApiOptions): ForgeApi {
  const own = new Set([new URL(base).origin, new URL(home).origin])

  async function ask(
    path: string,
    signal: AbortSignal,
  ): Promise<{ readonly value: unknown; readonly head: OutgoingHead }> {
    const answer = await client.request(`${base}${path}`, {
      headers: { accept: 'application/json', ...headers, ...credentials },
      maxRedirects: MAX_REDIRECTS,
      maxBytes: MAX_PAGE,
      timeout: PAGE_TIMEOUT,
      signal,
    })
    if (answer.status !== 200) throw refusal(answer, answer.body.toString('utf8'))
    const parsed = parseJson(answer.body.toString('utf8'))
    if (parsed === undefined) throw new ForgeError('failed', 'the other server did not answer with JSON')
    return { value: parsed.value, head: answer }
  }

  return {
    get: async (path, signal) => (await ask(path, signal)).value,

    async *pages(path, signal) {
      let seen = 0
      for (let page = 1; page <= MAX_PAGES; page++) {
        const { value, head } = await ask(
          `${path}${path.includes('?') ? '&' : '?'}page=${page}&${perPage[0]}=${perPage[1]}`,
          signal,
        )
        const items = listOf(value)
        if (items.length === 0) return
        yield items
        seen += items.length
        if (isLast(head, seen)) return
      }
      throw new ForgeError('failed', 'the list of the other server has no end')
    },

    download: (url, { headers: extra, signal }, take) =>
      client.stream(
        url,
        {
          headers: {
            accept: 'application/octet-stream',
            ...extra,
            ...(URL.canParse(url) && own.has(new URL(url).origin) && credentials),
          },
          maxRedirects: MAX_REDIRECTS,
          maxBytes: Number.POSITIVE_INFINITY,
          timeout,
          signal,
        },
        async (answer) => {
          if (answer.status !== 200) throw refusal(answer, '')
          return take(answer.body)
        },
      ),
  }
}

/** By what services say of a list in headers; without that only an empty page is the end. */
function isLast({ headers }: OutgoingHead, seen: number): boolean {
  const total = headers['x-total-count'] ?? headers['x-total']
  if (total !== undefined && /^\d+$/.test(total)) return seen >= Number(total)
  return headers['link'] !== undefined && !/rel="?next"?/.test(headers['link'])
}

function refusal({ status, headers }: OutgoingHead, body: string): ForgeError {
  const wantsOtp =
    Object.keys(headers).some((name) => /^x-[a-z]+-otp$/.test(name)) ||
    /two.?factor|one.?time|\botp\b/i.test(body.slice(0, 1000))
  if (status === 401 && wantsOtp) return new ForgeError('two-factor', 'the other server wants a one-time password')
  if (status === 429 || (status === 403 && headers['x-ratelimit-remaining'] === '0'))
    return new ForgeError('busy', 'the other server wants fewer requests')
  if (status === 401 || status === 403 || status === 404)
    return new ForgeError('auth', `the API of the other server answered with status ${status}`)
  return new ForgeError('failed', `the API of the other server answered with status ${status}`)
}
