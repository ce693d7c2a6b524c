import type { Agent, Dispatcher, buildConnector } from 'undici'
import { BodyError, type Exchange, follow, type OutgoingBody } from './follow.ts'
import { isOutgoingError, OutgoingError } from './outgoing-error.ts'
import { isIP, type LookupFunction } from 'node:net'
import type { HostGuard } from './host-rules.ts'
import { openTunnel, type OutgoingProxy } from './tunnel.ts'

const CONNECT_MS = 10_000

interface AgentOptions {
  readonly guard: HostGuard
  /** Accept certificates that no authority signed; only for installations that ask for it. */
  readonly skipTlsVerify?: boolean
  readonly proxy?: OutgoingProxy
}

/** Connects to addresses that the guard allows and to no others, through the proxy where it serves the host. */
async function createAgent({ guard, skipTlsVerify = false, proxy }: AgentOptions): Promise<Agent> {
  const undici = await import('undici')
  // NOTE: a host that is an address never reaches the resolver of node:net; it is resolved here, before anything
  // connects.
  const connect = async (target: buildConnector.Options, done: buildConnector.Callback): Promise<void> => {
    try {
      const addresses = await guard.resolve(target.hostname)
      const connector = undici.buildConnector({
        rejectUnauthorized: !skipTlsVerify,
        timeout: CONNECT_MS,
        lookup: pinned(addresses),
        autoSelectFamily: true,
      })
      const named = {
        ...target,
        ...(!target.servername && isIP(target.hostname) === 0 && { servername: target.hostname }),
      }
      if (proxy?.serves(target.hostname) !== true)
        return connector({ ...named, hostname: addresses.length === 1 ? addresses[0] : target.hostname }, done)
      const isTls = target.protocol === 'https:'
      const port = Number(target.port) || (isTls ? 443 : 80)
      const socket = await openTunnel(proxy, { address: addresses[0], port, timeout: CONNECT_MS })
      if (isTls) connector({ ...named, httpSocket: socket }, done)
      else done(null, socket)
    } catch (error) {
      done(error as Error, null)
    }
  }
  return new undici.Agent({
    connect: (target, done) => void connect(target, done),
    keepAliveTimeout: 4_000,
    maxHeaderSize: 32 * 1024,
  })
}

/** A resolver that answers with the checked addresses alone. */
function pinned(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_, { all }, done) => (all ? done(null, entries) : done(null, entries[0]!.address, entries[0]!.family))
}

interface OutgoingRequest {
  readonly method?: NonNullable<Exchange['method']>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | OutgoingBody
  /** Milliseconds for the whole exchange, redirects included. */
  readonly timeout?: number
  /** Milliseconds without any data until the request to the other server fails. */
  readonly idle?: number
  /** Bytes of the answer's body. */
  readonly maxBytes?: number
  /** Redirects that are followed; each is checked as the first address was. None unless said. */
  readonly maxRedirects?: number
  readonly signal?: AbortSignal
}

export interface OutgoingHead {
  readonly status: number
  /** Names in lower case; a header that came several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  /** The address that answered, after redirects. */
  readonly url: string
}

interface OutgoingAnswer extends OutgoingHead {
  readonly body: Buffer
}

interface OutgoingStream extends OutgoingHead {
  /** The body as it arrives, at the pace of the reader; throws OutgoingError. Read once. */
  readonly body: AsyncIterable<Buffer>
}

export interface OutgoingOptions extends AgentOptions {
  /** Sent as User-Agent unless a request brings its own. */
  readonly userAgent: string
}

const TIMEOUT_MS = 30_000
const IDLE_MS = 60_000
const MAX_BYTES = 1024 * 1024

/** HTTP requests that users make the server do: only to allowed addresses, bounded in time and size. */
export type OutgoingClient = ReturnType<typeof createOutgoingClient>

/** No proxy and no cookies; nothing of the machine's environment is used. undici is loaded by the first request. */
export function createOutgoingClient(options: OutgoingOptions) {
  let agent: Promise<Agent> | undefined

  /** The same for bytes of any number: `take` reads as much of the response as it needs; the rest is discarded. */
  async function stream<T>(
    url: string,
    request: OutgoingRequest,
    take: (answer: OutgoingStream) => Promise<T>,
  ): Promise<T> {
    agent ??= createAgent(options)
    const { timeout = TIMEOUT_MS, idle = IDLE_MS, maxBytes = MAX_BYTES, signal } = request
    const deadline = startDeadline(timeout, signal)
    const explain = (error: unknown): unknown =>
      signal?.aborted ? signal.reason : asOutgoingError(error, deadline.isOver())
    try {
      const { stream: body, ...head } = await follow(await agent, new URL(url), {
        ...request,
        idle,
        headers: { 'user-agent': options.userAgent, ...request.headers },
        signal: deadline.signal,
      }).catch((error: unknown) => {
        throw error instanceof BodyError ? error.cause : explain(error)
      })
      try {
        return await take({ ...head, body: bounded(body, maxBytes, explain) })
      } finally {
        body.destroy()
      }
    } finally {
      deadline.end()
    }
  }

  return {
    stream,
    /** Any answer is an answer, whatever its status. Throws OutgoingError; `signal` aborts with its reason. */
    request: (url: string, request: OutgoingRequest = {}): Promise<OutgoingAnswer> =>
      stream(url, request, async ({ body, ...head }) => ({
        ...head,
        body: Buffer.concat(await Array.fromAsync(body)),
      })),
    async close(): Promise<void> {
      await (await agent)?.close()
    },
  }
}

/**
 * Aborts after so many milliseconds or with the other signal. NOTE: `AbortSignal.timeout` would keep every request
 * until then.
 */
function startDeadline(ms: number, outer: AbortSignal | undefined) {
  const controller = new AbortController()
  let isOver = false
  const abort = (): void => controller.abort()
  const timer = setTimeout(() => {
    isOver = true
    abort()
  }, ms)
  outer?.addEventListener('abort', abort, { once: true })
  if (outer?.aborted) abort()
  return {
    signal: controller.signal,
    isOver: () => isOver,
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}

async function* bounded(
  stream: Dispatcher.ResponseData['body'],
  maxBytes: number,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw new OutgoingError('too-large', `the answer has more than ${maxBytes} bytes`)
      yield chunk
    }
  } catch (error) {
    throw explain(error)
  }
}

const LATE_CODES = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

function asOutgoingError(error: unknown, isLate: boolean): OutgoingError {
  if (isOutgoingError(error)) return error
  if (isLate) return new OutgoingError('timeout', 'the other server took too long', { cause: error })
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new OutgoingError('timeout', 'connecting took too long', { cause: error })
  if (LATE_CODES.has(code ?? '')) return new OutgoingError('timeout', 'the other server fell silent', { cause: error })
  return new OutgoingError('unreachable', code ?? message, { cause: error })
}
