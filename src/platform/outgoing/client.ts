import { isIP, type LookupFunction } from 'node:net'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import type { HostGuard } from './host-guard.ts'
import { isOutgoingError, OutgoingError } from './outgoing-error.ts'

export interface OutgoingRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Milliseconds for the whole exchange, redirects included. */
  readonly timeout?: number
  /** Bytes of the answer's body. */
  readonly maxBytes?: number
  /** Redirects that are followed; each is checked as the first address was. None unless said. */
  readonly maxRedirects?: number
  readonly signal?: AbortSignal
}

export interface OutgoingAnswer {
  readonly status: number
  /** Names in lower case; a header that came several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Where the answer came from in the end. */
  readonly url: string
}

/** HTTP requests that users make the server do: only to allowed addresses, bounded in time and size. */
export interface OutgoingClient {
  /** Any answer is an answer, whatever its status. Throws OutgoingError; `signal` aborts with its reason. */
  request(url: string, options?: OutgoingRequest): Promise<OutgoingAnswer>
  close(): Promise<void>
}

export interface OutgoingOptions {
  readonly guard: HostGuard
  /** Sent as User-Agent unless a request brings its own. */
  readonly userAgent: string
  /** Accept certificates of nobody in particular; only for installations that ask for it. */
  readonly skipTlsVerify?: boolean
}

const TIMEOUT_MS = 30_000
const MAX_BYTES = 1024 * 1024
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** No proxy and no cookies; nothing of the machine's environment is used. undici is loaded by the first request. */
export function createOutgoingClient(options: OutgoingOptions): OutgoingClient {
  let agent: Promise<Agent> | undefined
  return {
    async request(url, request = {}) {
      agent ??= createAgent(options)
      const { timeout = TIMEOUT_MS, signal } = request
      const late = AbortSignal.timeout(timeout)
      try {
        return await follow(await agent, new URL(url), { ...request, headers: { 'user-agent': options.userAgent, ...request.headers }, signal: signal ? AbortSignal.any([late, signal]) : late })
      } catch (error) {
        signal?.throwIfAborted()
        throw asOutgoingError(error, late)
      }
    },
    async close() {
      await (await agent)?.close()
    },
  }
}

async function createAgent({ guard, skipTlsVerify = false }: OutgoingOptions): Promise<Agent> {
  const undici = await import('undici')
  // NOTE: a host that is an address never reaches the resolver of node:net; it is resolved here, before anything connects.
  const connect = async (target: buildConnector.Options, done: buildConnector.Callback): Promise<void> => {
    try {
      const addresses = await guard.resolve(target.hostname)
      const connector = undici.buildConnector({ rejectUnauthorized: !skipTlsVerify, timeout: 10_000, lookup: pinned(addresses), autoSelectFamily: true })
      connector({ ...target, hostname: addresses.length === 1 ? addresses[0] : target.hostname, ...(!target.servername && isIP(target.hostname) === 0 && { servername: target.hostname }) }, done)
    } catch (error) {
      done(error as Error, null)
    }
  }
  return new undici.Agent({ connect: (target, done) => void connect(target, done), keepAliveTimeout: 4_000, maxHeaderSize: 32 * 1024 })
}

/** A resolver that knows nothing but the addresses that were checked. */
function pinned(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_, { all }, done) => (all ? done(null, entries) : done(null, entries[0]!.address, entries[0]!.family))
}

type Bounded = OutgoingRequest & { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal }

async function follow(agent: Agent, start: URL, request: Bounded): Promise<OutgoingAnswer> {
  const { maxRedirects = 0 } = request
  let [url, current] = [start, request]
  for (let redirects = 0; ; redirects++) {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new OutgoingError('redirects', `not an HTTP address: ${url.protocol}`)
    const answer = await exchange(agent, url, current)
    const location = answer.headers['location']
    if (maxRedirects === 0 || !REDIRECTS.has(answer.status) || location === undefined) return answer
    if (redirects >= maxRedirects || !URL.canParse(location, url)) throw new OutgoingError('redirects', 'too many redirects')
    const next = new URL(location, url)
    current = redirected(current, answer.status, next.origin === url.origin)
    url = next
  }
}

/** As browsers do: 303, and a POST at 301 or 302, go on as GET; credentials never go to another origin. */
function redirected(request: Bounded, status: number, sameOrigin: boolean): Bounded {
  const { body, method = 'GET', ...rest } = request
  const becomesGet = status === 303 || ((status === 301 || status === 302) && method === 'POST')
  const dropped = new Set([...(sameOrigin ? [] : ['authorization', 'cookie']), ...(becomesGet ? ['content-type', 'content-length'] : [])])
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped.has(name.toLowerCase())))
  return { ...rest, headers, method: becomesGet ? 'GET' : method, ...(body !== undefined && !becomesGet && { body }) }
}

async function exchange(agent: Agent, url: URL, { method = 'GET', headers, body, maxBytes = MAX_BYTES, signal }: Bounded): Promise<OutgoingAnswer> {
  const answer = await agent.request({ origin: url.origin, path: url.pathname + url.search, method, headers, signal, ...(body !== undefined && { body }) })
  return { status: answer.statusCode, headers: joined(answer.headers), body: await readBounded(answer.body, maxBytes), url: url.href }
}

async function readBounded(stream: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new OutgoingError('too-large', `the answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const joined = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]])))

function asOutgoingError(error: unknown, late: AbortSignal): OutgoingError {
  if (isOutgoingError(error)) return error
  if (late.aborted) return new OutgoingError('timeout', 'the other server took too long', { cause: error })
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return new OutgoingError('timeout', 'connecting took too long', { cause: error })
  return new OutgoingError('unreachable', code ?? message, { cause: error })
}
