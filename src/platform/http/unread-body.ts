import type { IncomingMessage } from 'node:http'

const WORTH_READING = 1024 * 1024

/**
 * Whether the connection must end with an answer that is given before the body is read. Not when little is on its way:
 * the server then reads it to the end and throws it away, since clients that find the connection closed while they send
 * lose the answer.
 */
export function endsConnection(request: IncomingMessage): boolean {
  if (request.readableEnded || request.complete) return false
  const announced = Number(request.headers['content-length'] ?? Infinity)
  return announced > WORTH_READING
}
