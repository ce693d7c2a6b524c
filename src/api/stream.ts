import type { FastifyReply, FastifyRequest } from 'fastify'

/** Aborts when the client goes away before it has the whole answer, so that nothing works on for nobody. */
export function abortOnLeave(request: FastifyRequest): AbortSignal {
  const controller = new AbortController()
  request.raw.socket.once('close', () => controller.abort())
  return controller.signal
}

/** As abortOnLeave, but only when the answer was not sent to its end; leaves nothing on a connection that is kept. */
export function abortOnClose(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
