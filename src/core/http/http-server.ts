import { createServer, type RequestListener, type Server } from 'node:http'
import type { Logger } from '../platform/logger.ts'
import { HEADER_BYTES } from './answer/client-error.ts'
import { limitPipelining } from './limit-pipelining.ts'
import { takeTurns } from './take-turns.ts'

export interface ConnectionSettings {
  /** Milliseconds for headers and small bodies; streams may pause as long. */
  readonly receiveTimeoutMs: number
  /** At one time. */
  readonly maxConnections: number
}

const MAX_CHECKING_INTERVAL_MS = 10_000
/** Longer than the minute for which load balancers usually keep a connection. */
const KEEP_ALIVE_MS = 72_000
/** Between two times that idle connections end: each looks at all connections. */
const END_IDLE_EVERY_MS = 1000

/**
 * The server below Fastify. At the limit of connections new ones are refused and those without a request end, so that
 * the next ones get in.
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
    limitPipelining(takeTurns(handle)),
  )
  server.maxConnections = maxConnections
  let endedIdleAt = -Infinity
  server.on('drop', () => {
    const now = performance.now()
    if (now - endedIdleAt < END_IDLE_EVERY_MS) return
    endedIdleAt = now
    log.warn({ connections: maxConnections }, 'refused a connection: the maximum number is open')
    server.closeIdleConnections()
  })
  return server
}
