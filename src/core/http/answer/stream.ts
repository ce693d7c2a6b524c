import type { FastifyReply } from 'fastify'

/** Aborts when the client leaves before it has the whole answer; leaves nothing on a connection that is kept. */
export function abortOnClose({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const abortUnlessSent = (): void => {
    if (!raw.writableFinished) controller.abort()
  }
  if (raw.closed) abortUnlessSent()
  else raw.once('close', abortUnlessSent)
  return controller.signal
}
