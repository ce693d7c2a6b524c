import type { FastifyInstance } from 'fastify'
import { hasBody } from '../../platform/http/unread-body.ts'

/**
 * Reads and drops what is left of a body after its answer: Node does so only for bodies that were not read at all, and
 * the connection would never come to its next request. A request that was destroyed meanwhile cannot be read to its
 * end: its connection ends.
 */
export function discardRests(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    if (hasBody(raw)) {
      const { socket } = raw
      reply.raw.once('finish', () => {
        if (raw.readableEnded) return
        if (raw.destroyed) return socket.destroySoon()
        // NOTE: a stream that iterators listen to does not flow; it learns of their removal in the next tick.
        raw.unpipe().removeAllListeners('readable')
        setImmediate(() => raw.resume())
      })
    }
    done()
  })
}
