import type { IncomingMessage } from 'node:http'

/** Whether a body was announced. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const WORTH_READING = 1024 * 1024

/**
 * Whether the connection must end after an answer that is sent before the body is read: if the request was destroyed,
 * or much of it has not arrived yet. A short rest is read and discarded, since clients whose connection is closed while
 * they send lose the answer.
 */
export function endsConnection(request: IncomingMessage): boolean {
  if (request.readableEnded) return false
  if (request.destroyed) return true
  if (request.complete) return false
  const announced = Number(request.headers['content-length'] ?? Infinity)
  return announced > WORTH_READING
}
