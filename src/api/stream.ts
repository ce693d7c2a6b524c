import type { FastifyRequest } from 'fastify'

/** Aborts when the client goes away before it has the whole answer, so that nothing works on for nobody. */
export function abortOnLeave(request: FastifyRequest): AbortSignal {
  const controller = new AbortController()
  request.raw.socket.once('close', () => controller.abort())
  return controller.signal
}
