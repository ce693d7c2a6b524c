import type { FastifyInstance } from 'fastify'
import { hasBody } from '../../platform/http/unread-body.ts'

/**
 * Reads and drops the rest of a body after its response: Node does so only for bodies that were not read at all, and
 * the connection would never reach its next request. The rest of a destroyed request cannot be read: its connection
 * is closed.
 */
export function discardRests(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    if (hasBody(raw)) {
      const { socket } = raw
      reply.raw.once('finish', () => {
        if (raw.readableEnded) return
        if (raw.destroyed) return socket.destroySoon()
        // NOTE: a stream with iterators does not flow; it learns of their removal in the next tick.
        raw.unpipe().removeAllListeners('readable')
        setImmediate(() => raw.resume())
      })
    }
    done()
  })
}
