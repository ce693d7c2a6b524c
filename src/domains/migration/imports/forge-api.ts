import { listOf, parseJson } from '../../../core/platform/json-members.ts'
import type { OutgoingClient, OutgoingHead } from '../../../core/platform/outgoing/index.ts'
import type { RemoteCredentials } from '../../../core/git/index.ts'

/** Metadata of a repository at another service. */
interface SourceFacts {
  readonly description: string
  readonly website: string
  readonly topics: readonly string[]
}

export interface SourceLabel {
  readonly name: string
  /** In the notation of the service, such as `#ff0000`. */
  readonly color: string
  readonly description: string
  readonly isExclusive: boolean
  readonly isArchived: boolean
}

export interface SourceRelease {
  readonly tag: string
  readonly target: string
  readonly title: string
  readonly body: string
  readonly isDraft: boolean
  readonly isPrerelease: boolean
  /** Epoch milliseconds; undefined if the service does not have it. */
  readonly createdAt: number | undefined
  readonly assets: readonly SourceAsset[]
}

export interface SourceAsset {
  readonly name: string
  /** Address of the bytes, or target of the link. */
  readonly url: string
  readonly kind: 'file' | 'link'
  /** Request headers of the download besides credentials. */
  readonly headers?: Readonly<Record<string, string>>
  readonly downloads: number
  readonly createdAt: number | undefined
}

/**
 * A repository at another service; lists are read page by page on demand. All methods throw ForgeError and
 * OutgoingError. A new kind of data (milestones, issues) needs a reader here, a part in parts/ and an entry in the
 * `parts` of its forges.
 */
export interface Source {
  facts(signal: AbortSignal): Promise<SourceFacts>
  labels(signal: AbortSignal): AsyncIterable<readonly SourceLabel[]>
  releases(signal: AbortSignal): AsyncIterable<readonly SourceRelease[]>
  /** Streams the bytes of a file to `consume`. */
  download<T>(
    asset: SourceAsset,
    signal: AbortSignal,
    consume: (bytes: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T>
}

/** Location of a repository at another service, with credentials. */
export interface SourceLocation {
  /** The address of its git data, without credentials. */
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  /** An access token; empty without one. */
  readonly token: string
}

export interface SourceDeps {
  readonly client: OutgoingClient
  /** The timeout of one file, in milliseconds. */
  readonly timeout: number
}

export type OpenSource = (deps: SourceDeps, location: SourceLocation) => Source

/**
 * Why a request to a service failed. `auth`: missing, wrong or insufficient credentials; `two-factor`: a one-time
 * password is required; `busy`: rate limit exceeded; `failed`: anything else.
 */
export class ForgeError extends Error {
  readonly kind: 'auth' | 'two-factor' | 'busy' | 'failed'

  constructor(kind: ForgeError['kind'], message: string) {
    super(message)
    this.name = 'ForgeError'
    this.kind = kind
  }
}

/** The HTTP API of another service. Throws ForgeError and OutgoingError. */
interface ForgeApi {
  get(path: string, signal: AbortSignal): Promise<unknown>
  /** Yields all pages of a list; the service may return smaller pages than requested. */
  pages(path: string, signal: AbortSignal): AsyncIterable<readonly unknown[]>
  /** Streams the bytes at an address; sends credentials only to the origins of `base` and `webUrl`. */
  download<T>(
    url: string,
    options: { readonly headers?: Readonly<Record<string, string>> | undefined; readonly signal: AbortSignal },
    consume: (bytes: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T>
}

interface ForgeApiOptions {
  readonly client: OutgoingClient
  /** For example `https://host/api/v1`. */
  readonly base: string
  /** Headers, sent only to the origins of `base` and `webUrl`. */
  readonly credentials: Readonly<Record<string, string>>
  /** The base address of the pages and files of the service. */
  readonly webUrl: string
  readonly headers?: Readonly<Record<string, string>>
  /** Query parameter for the page size, and its value. */
  readonly perPage: readonly [name: string, count: number]
  /** The timeout of one file, in milliseconds. */
  readonly timeout: number
}

const MAX_REDIRECTS = 5
const MAX_PAGE_BYTES = 64 * 1024 * 1024
/** Milliseconds. */
const PAGE_TIMEOUT = 60_000
/** Limits the number of pages, in case a service returns pages endlessly. */
const MAX_PAGES = 10_000

export function createForgeApi({
  client,
  base,
  webUrl,
  credentials,
  headers = {},
  perPage,
  timeout,
}: ForgeApiOptions): ForgeApi {
  const own = new Set([new URL(base).origin, new URL(webUrl).origin])

  async function ask(
    path: string,
    signal: AbortSignal,
  ): Promise<{ readonly value: unknown; readonly head: OutgoingHead }> {
    const answer = await client.request(`${base}${path}`, {
      headers: { accept: 'application/json', ...headers, ...credentials },
      maxRedirects: MAX_REDIRECTS,
      maxBytes: MAX_PAGE_BYTES,
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

    download: (url, { headers: extra, signal }, consume) =>
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
          return consume(answer.body)
        },
      ),
  }
}

/**
 * Whether headers (total count or Link) show that the page is the last one. Without them, the last page is the first
 * empty one.
 */
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
