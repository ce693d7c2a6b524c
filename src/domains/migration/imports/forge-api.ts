import { hash } from 'node:crypto'
import { listOf, parseJson } from '../../../core/platform/json-members.ts'
import { isOutgoingError, type OutgoingClient, type OutgoingHead } from '../../../core/platform/outgoing/index.ts'
import { busy, ForgeError, refusal } from './forge-error.ts'
import { type WaitLimits, RETRY_DELAY, waitForLimit } from './forge-waits.ts'

/** The HTTP API of another service. Throws ForgeError and OutgoingError. */
export interface ForgeApi {
  /** Address that paths are appended to. */
  readonly base: string
  get(path: string, signal: AbortSignal): Promise<unknown>
  /** Undefined if the service answers 404 or another status of `absent`. */
  find(path: string, signal: AbortSignal, absent?: readonly number[]): Promise<unknown>
  /**
   * Yields all pages of a list, or those from the page `first`; the service may return smaller pages than requested. An
   * answer with a status of `absent` is an empty list.
   */
  pages(
    path: string,
    signal: AbortSignal,
    absent?: readonly number[],
    first?: number,
  ): AsyncIterable<readonly unknown[]>
  page(path: string, number: number, signal: AbortSignal, absent?: readonly number[]): Promise<ForgePage>
  /** The length of a list; undefined if the service does not report it. */
  count(path: string, signal: AbortSignal): Promise<number | undefined>
  /** Streams the bytes at an address; sends credentials only to the origins of `base` and `webUrl`. */
  download<T>(
    url: string,
    options: { readonly headers?: Readonly<Record<string, string>> | undefined; readonly signal: AbortSignal },
    consume: (bytes: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T>
}

interface ForgePage {
  readonly items: readonly unknown[]
  readonly total: number | undefined
}

export interface ForgeApiOptions {
  readonly client: OutgoingClient
  readonly patience: WaitLimits
  /** Address of the API, for example `https://host/api/v1`. */
  readonly base: string
  /**
   * Headers, sent only to the origins of `base` and `webUrl`. With several sets, such as of several tokens, the next
   * one is used when one has reached its rate limit.
   */
  readonly credentials: readonly Readonly<Record<string, string>>[]
  /** The base address of the pages and files of the service. */
  readonly webUrl: string
  readonly headers?: Readonly<Record<string, string>>
  /** Query parameter for the page size, and its value. */
  readonly perPage: readonly [name: string, count: number]
  /** Pages begin at the item `offset`; otherwise they have numbers from 1. */
  readonly byOffset?: boolean
  /** The service links every page to the next one: a page without links is the only one. */
  readonly alwaysLinks?: boolean
  /** The timeout of one file, in milliseconds. */
  readonly timeout: number
  /** Reads answers that are no JSON. Throws if one is malformed. */
  readonly parse?: (text: string) => Promise<unknown>
  readonly maxPageBytes?: number
}

const MAX_REDIRECTS = 5
const MAX_PAGE_BYTES = 32 * 1024 * 1024
/** Maximum total size of all answers to one import. */
const MAX_TOTAL_BYTES = 64 * 1024 ** 3
/** Milliseconds. */
const PAGE_TIMEOUT = 60_000
/** Limits the number of pages, in case a service returns pages endlessly. */
const MAX_PAGES = 100_000
const MAX_ITEMS_OF_PAGE = 100_000
const MAX_TRIES = 3
const MAX_LIMITS = 10
const ABSENT = [404]

export function createForgeApi(options: ForgeApiOptions): ForgeApi {
  const {
    client,
    base,
    webUrl,
    headers = {},
    perPage,
    byOffset = false,
    alwaysLinks = false,
    timeout,
    maxPageBytes = MAX_PAGE_BYTES,
  } = options
  const own = new Set([new URL(base).origin, new URL(webUrl).origin])
  const { repeated, credentials } = createRepeater(options)
  let bytesLeft = MAX_TOTAL_BYTES

  async function ask(url: string, signal: AbortSignal): Promise<Answer> {
    const answer = await repeated(signal, async () => {
      const { body, ...head } = await client.request(url, {
        headers: { accept: 'application/json', ...headers, ...credentials() },
        maxRedirects: MAX_REDIRECTS,
        maxBytes: maxPageBytes,
        timeout: PAGE_TIMEOUT,
        signal,
      })
      return { ...head, body }
    })
    bytesLeft -= answer.body.length
    if (bytesLeft < 0)
      throw new ForgeError('failed', `the API of the other server sent more than ${MAX_TOTAL_BYTES} bytes`)
    // NOTE: unlike Buffer.toString it skips a byte order mark.
    const value = await read(new TextDecoder().decode(answer.body), options.parse)
    return { value, head: answer, digest: hash('sha1', answer.body) }
  }

  const pageUrl = (path: string, page: number, count = perPage[1]): string =>
    `${base}${path}${path.includes('?') ? '&' : '?'}${byOffset ? `offset=${(page - 1) * count}` : `page=${page}`}&${perPage[0]}=${count}`

  const api: ForgeApi = {
    base,

    get: async (path, signal) => (await ask(`${base}${path}`, signal)).value,

    find: (path, signal, absent = ABSENT) => api.get(path, signal).catch((error) => undefinedIf(absent, error)),

    async *pages(path, signal, absent = [], first = 1) {
      const digests = new Set<string>()
      let [seen, url] = [0, pageUrl(path, first)]
      for (let page = first; page <= MAX_PAGES; page++) {
        const answer = await ask(url, signal).catch((error: unknown) => undefinedIf(absent, error))
        if (answer === undefined) return
        const items = itemsOf(answer.value)
        // A service that knows no pages answers with the same list again, or its links lead back to a page before.
        if (items.length === 0 || digests.has(answer.digest)) return
        for (let start = 0; start < items.length; start += perPage[1]) yield items.slice(start, start + perPage[1])
        seen += items.length
        digests.add(answer.digest)
        const next = nextOf(answer.head)
        if (isLast(answer.head, { seen, next, alwaysLinks })) return
        url = next !== undefined && new URL(next).origin === new URL(base).origin ? next : pageUrl(path, page + 1)
      }
      throw new ForgeError('failed', 'the list of the other server has no end')
    },

    async page(path, number, signal, absent = []) {
      const answer = await ask(pageUrl(path, number), signal).catch((error: unknown) => undefinedIf(absent, error))
      return answer === undefined
        ? { items: [], total: undefined }
        : { items: itemsOf(answer.value), total: totalOf(answer.head) }
    },

    async count(path, signal) {
      const answer = await ask(pageUrl(path, 1, 1), signal).catch((error: unknown) => undefinedIf(ABSENT, error))
      if (answer === undefined) return undefined
      const { value, head } = answer
      const lastPage = /[?&]page=(\d{1,9})[^>]*>\s*;\s*rel="?last/.exec(head.headers['link'] ?? '')?.[1]
      const { length } = itemsOf(value)
      if (lastPage !== undefined) return Number(lastPage) * length
      return totalOf(head) ?? (length === 0 || alwaysLinks ? length : undefined)
    },

    async download(url, { headers: extra, signal }, consume) {
      if (!URL.canParse(url, webUrl)) throw new ForgeError('failed', 'the address of a file is malformed')
      const target = new URL(url, webUrl)
      const { result } = await repeated(signal, () =>
        client.stream(
          target.href,
          {
            headers: {
              accept: 'application/octet-stream',
              ...extra,
              ...(own.has(target.origin) && credentials()),
            },
            maxRedirects: MAX_REDIRECTS,
            maxBytes: Number.POSITIVE_INFINITY,
            timeout,
            signal,
          },
          async ({ body, ...head }) =>
            head.status === 200
              ? { ...head, body: NO_BODY, result: await consume(body) }
              : { ...head, body: NO_BODY, result: undefined },
        ),
      )
      return result!
    },
  }
  return api
}

async function read(text: string, parse: ForgeApiOptions['parse']): Promise<unknown> {
  if (parse !== undefined)
    return parse(text).catch((error: unknown) => {
      throw new ForgeError('failed', `the other server sent no valid answer: ${(error as Error).message}`)
    })
  const parsed = parseJson(text)
  if (parsed === undefined) throw new ForgeError('failed', 'the other server did not answer with JSON')
  return parsed.value
}

const NO_BODY = Buffer.alloc(0)

interface Answer {
  readonly value: unknown
  readonly head: OutgoingHead
  readonly digest: string
}

/**
 * `repeated` runs a request until it succeeds: again after a failure of the service, and after rate limits as long as
 * the patience allows. `credentials` are those of the next request.
 */
export function createRepeater({ patience, ...options }: Pick<ForgeApiOptions, 'credentials' | 'patience'>) {
  const credentials = options.credentials.length === 0 ? [{}] : options.credentials
  let turn = 0

  async function afterLimit(
    wait: number,
    state: { waited: number; count: number },
    signal: AbortSignal,
  ): Promise<boolean> {
    turn++
    state.count++
    if (turn % credentials.length !== 0) return true
    state.waited += wait
    if (state.waited > patience.maxWait || state.count > MAX_LIMITS * credentials.length) return false
    await patience.sleep(wait, signal)
    return true
  }

  async function repeated<T extends OutgoingHead & { readonly body: Buffer }>(
    signal: AbortSignal,
    request: () => Promise<T>,
  ): Promise<T> {
    const limits = { waited: 0, count: 0 }
    for (let tries = 1; ;) {
      const answer = await request().catch((error: unknown) => {
        const passes = isOutgoingError(error, 'unreachable') || isOutgoingError(error, 'timeout')
        if (!passes || tries >= MAX_TRIES) throw error
      })
      if (answer?.status === 200) return answer
      const body = answer?.body.toString('utf8', 0, 4096) ?? ''
      const wait = answer && waitForLimit(answer, body, { now: patience.clock.now(), count: limits.count })
      if (answer && wait !== undefined) {
        if (!(await afterLimit(wait, limits, signal))) throw busy(answer.status)
      } else if (answer && (answer.status < 500 || tries >= MAX_TRIES)) throw refusal(answer, body)
      else {
        tries++
        await patience.sleep(RETRY_DELAY, signal)
      }
    }
  }

  return { repeated, credentials: () => credentials[turn % credentials.length]! }
}

function undefinedIf(absent: readonly number[], error: unknown): undefined {
  if (!(error instanceof ForgeError) || !absent.includes(error.status)) throw error
}

function itemsOf(value: unknown): readonly unknown[] {
  const items = listOf(value)
  if (items.length > MAX_ITEMS_OF_PAGE)
    throw new ForgeError('failed', `a page of the other server has more than ${MAX_ITEMS_OF_PAGE} items`)
  return items
}

function totalOf({ headers }: OutgoingHead): number | undefined {
  const total = headers['x-total-count'] ?? headers['x-total']
  return total !== undefined && /^\d{1,15}$/.test(total) ? Number(total) : undefined
}

/** The address of the next page in the header Link. */
function nextOf({ headers, url }: OutgoingHead): string | undefined {
  for (const [, target = '', parameters = ''] of (headers['link'] ?? '').matchAll(/<([^<>]*)>([^<>]*)/g))
    if (/rel="?next\b/.test(parameters) && URL.canParse(target, url)) return new URL(target, url).href
  return undefined
}

/**
 * Whether the headers (total count or Link) show that the page is the last one. Without them, the last page is the
 * first empty one.
 */
function isLast(head: OutgoingHead, list: { seen: number; next: string | undefined; alwaysLinks: boolean }): boolean {
  const total = totalOf(head)
  if (total !== undefined) return list.seen >= total
  return list.next === undefined && (list.alwaysLinks || head.headers['link'] !== undefined)
}
