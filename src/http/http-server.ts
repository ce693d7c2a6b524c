import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '../platform/logger.ts'
import { HEADER_BYTES } from './answer/client-error.ts'
import { limitPipelining } from './limit-pipelining.ts'

export interface ConnectionSettings {
  /** Milliseconds for headers and small bodies; streams may pause as long. */
  readonly receiveTimeoutMs: number
  /** At one time. */
  readonly maxConnections: number
}

const MAX_CHECKING_INTERVAL_MS = 10_000
/** Longer than the minute for which load balancers usually keep a connection. */
const KEEP_ALIVE_MS = 72_000
/** Between two searches for connections to end. */
const SEARCH_EVERY_MS = 1000
/** A connection without a request may be as old while others are refused. */
const MAX_SILENCE_MS = 5000

/**
 * The server below Fastify. At the limit of connections new ones are refused; then those between two requests end, and
 * those that have sent no request in five seconds.
 */
export function createHttpServer(
  handle: RequestListener,
  { receiveTimeoutMs, maxConnections }: ConnectionSettings,
  log: Logger,
): Server {
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: receiveTimeoutMs,
      // NOTE: bodies are timed by limitReceiving; Node's default refuses a longer time for headers.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(receiveTimeoutMs / 2, MAX_CHECKING_INTERVAL_MS),
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    limitPipelining(handle),
  )
  server.maxConnections = maxConnections
  const silent = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    silent.set(socket, performance.now())
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }) => silent.delete(socket))
  let searchedAt = -Infinity
  server.on('drop', () => {
    const now = performance.now()
    if (now - searchedAt < SEARCH_EVERY_MS) return
    searchedAt = now
    log.warn({ connections: maxConnections }, 'refused a connection: server.max_connections are open')
    server.closeIdleConnections()
    for (const [socket, since] of silent) if (now - since > MAX_SILENCE_MS) socket.destroy()
  })
  return server
}
