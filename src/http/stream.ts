import type { FastifyReply } from 'fastify'

/**
 * Aborts when the client goes away before it has the whole answer, so that nothing works on for nobody; leaves nothing
 * on a connection that is kept.
 */
export function abortOnClose(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
