import type { IncomingMessage } from 'node:http'

/** Whether a body was announced. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const WORTH_READING = 1024 * 1024

/**
 * Whether the connection must end with an answer that is given before the body is read: when its reader destroyed the
 * request. Not when little is on its way: the server then reads it to the end and drops it, since clients that find the
 * connection closed while they send lose the answer.
 */
export function endsConnection(request: IncomingMessage): boolean {
  if (request.readableEnded) return false
  if (request.destroyed) return true
  if (request.complete) return false
  const announced = Number(request.headers['content-length'] ?? Infinity)
  return announced > WORTH_READING
}
