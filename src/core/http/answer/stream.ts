import type { FastifyReply } from 'fastify'

/**
 * Returns a signal that aborts when the client disconnects before it has the whole response; removes its listeners
 * afterwards.
 */
export function abortOnClose({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const abortUnlessSent = (): void => {
    if (!raw.writableFinished) controller.abort()
  }
  if (raw.closed) abortUnlessSent()
  else raw.once('close', abortUnlessSent)
  return controller.signal
}
