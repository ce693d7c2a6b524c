import { createServer, type RequestListener, type Server, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Logger } from '../platform/logger.ts'
import { HEADER_BYTES } from './answer/error-response.ts'
import { type CertificateSource, SecureServer } from './tls/secure-server.ts'
import type { Socket } from 'node:net'

/** Milliseconds per turn of the event loop for requests that arrived in it, and as many for earlier ones. */
const TURN_MS = 10
const MAX_RESUMED = 32

/**
 * Begins requests for 10 ms in each turn of the event loop; the others wait for later turns, in which requests that
 * have just arrived go first. The event loop reports all requests that arrived together at once: without this, a caller
 * who sends hundreds would make the others wait for all of them.
 */
export function scheduleRequests(handle: RequestListener): RequestListener {
  const waiting: [IncomingMessage, ServerResponse][] = []
  let began: number | undefined
  let isResuming = false
  const endTurn = (): void => {
    began = undefined
  }
  const beginNext = (): void => {
    const [request, response] = waiting.shift()!
    if (!request.socket.destroyed) handle(request, response)
  }
  /** NOTE: each request starts in its own callback, so that the work of its promises counts. */
  const resume = (): void => {
    isResuming = true
    const count = Math.min(waiting.length, MAX_RESUMED)
    let until: number | undefined
    for (let i = 0; i < count; i++)
      setImmediate(() => {
        if (until === undefined || performance.now() < until) beginNext()
        until ??= performance.now() + TURN_MS
        if (i < count - 1) return
        isResuming = false
        if (waiting.length > 0) resume()
      })
  }
  return (request, response) => {
    if (began === undefined) {
      began = performance.now()
      setImmediate(endTurn)
    } else if (performance.now() - began > TURN_MS) {
      waiting.push([request, response])
      if (!isResuming) resume()
      return
    }
    handle(request, response)
  }
}

/** Maximum requests of one connection that wait for earlier responses; a connection with more is closed. */
const MAX_WAITING = 1000

interface Connection {
  isAnswering: boolean
  readonly waiting: [IncomingMessage, ServerResponse][]
}

/**
 * Begins a pipelined request when the one before it is answered, and after requests of other connections: node:http
 * hands over all requests that arrived together, a thousand or more, and other callers would wait for all of them.
 * Answers go out in that order anyway (RFC 9112, section 9.3.2).
 */
export function limitPipelining(handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Connection>()
  const begin = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
    if (request.socket.destroyed) return
    connection.isAnswering = true
    response.once('close', () => {
      const next = connection.waiting.shift()
      connection.isAnswering = next !== undefined
      if (next !== undefined) setImmediate(begin, connection, ...next)
    })
    handle(request, response)
  }
  return (request, response) => {
    const { socket } = request
    if (socket.destroyed) return
    let connection = connections.get(socket)
    if (connection === undefined) connections.set(socket, (connection = { isAnswering: false, waiting: [] }))
    if (!connection.isAnswering) begin(connection, request, response)
    else if (connection.waiting.length < MAX_WAITING) connection.waiting.push([request, response])
    else socket.destroy()
  }
}

export interface ConnectionSettings {
  /** Milliseconds for headers and small bodies; streams may pause as long. */
  readonly receiveTimeoutMs: number
  /** Maximum number of open connections. */
  readonly maxConnections: number
  /** Undefined: HTTP without TLS. */
  readonly certificates?: CertificateSource | undefined
}

const MAX_CHECKING_INTERVAL_MS = 10_000
/** Longer than the minute for which load balancers usually keep a connection. */
const KEEP_ALIVE_MS = 72_000
/** Interval of closing idle connections, which checks all connections. */
const END_IDLE_EVERY_MS = 1000

/**
 * Creates the server below Fastify: HTTPS if there are certificates. At the limit of connections new ones are refused
 * and those without a request are closed, to make room for the next ones.
 */
export function createHttpServer(
  handle: RequestListener,
  { receiveTimeoutMs, maxConnections, certificates }: ConnectionSettings,
  log: Logger,
): Server {
  const options = {
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: receiveTimeoutMs,
    // NOTE: bodies are timed by limitReceiving; Node's default refuses a longer time for headers.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(receiveTimeoutMs / 2, MAX_CHECKING_INTERVAL_MS),
    keepAliveTimeout: KEEP_ALIVE_MS,
  }
  const inTurns = limitPipelining(scheduleRequests(handle))
  const server =
    certificates === undefined ? createServer(options, inTurns) : new SecureServer(certificates, options, inTurns)
  limitConnections(server, maxConnections, log)
  return server
}

/** Refuses connections beyond `max`, and makes room for the next ones. */
export function limitConnections(server: Server, max: number, log: Logger): void {
  server.maxConnections = max
  let endedIdleAt = -Infinity
  server.on('drop', () => {
    const now = performance.now()
    if (now - endedIdleAt < END_IDLE_EVERY_MS) return
    endedIdleAt = now
    log.warn({ connections: max }, 'refused a connection: the maximum number is open')
    server.closeIdleConnections()
  })
}
