import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that may wait for the answers of those before them; a connection with more ends. */
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
