import type { FastifyInstance } from 'fastify'
import type { Logger } from '../core/platform/logger.ts'

const IDLE_SWEEP_MS = 50

/** Accepts no new requests, lets running requests and transfers finish, and closes the rest after `seconds`. */
export async function closeWithin(http: FastifyInstance, seconds: number, log: Logger): Promise<void> {
  const timer = setTimeout(() => {
    log.warn({ seconds }, 'cutting off requests that did not finish in time')
    http.server.closeAllConnections()
  }, seconds * 1000)
  // NOTE: a connection that was busy when the close began becomes idle later and would keep the server open for its
  // keep-alive time.
  const sweep = setInterval(() => http.server.closeIdleConnections(), IDLE_SWEEP_MS)
  try {
    await http.close()
  } finally {
    clearTimeout(timer)
    clearInterval(sweep)
  }
}
