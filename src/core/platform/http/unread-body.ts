import type { IncomingMessage } from 'node:http'

/** Whether a body was announced. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const WORTH_READING = 1024 * 1024

/**
 * Whether the connection must end with an answer that is given before the body is read: when the request was destroyed,
 * or much of it is still on its way. A short rest is read and dropped, since clients that find the connection closed
 * while they send lose the answer.
 */
export function endsConnection(request: IncomingMessage): boolean {
  if (request.readableEnded) return false
  if (request.destroyed) return true
  if (request.complete) return false
  const announced = Number(request.headers['content-length'] ?? Infinity)
  return announced > WORTH_READING
}
