import type { FastifyInstance } from 'fastify'
import { callerKey } from '../../access/caller-key.ts'
import { FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { bodyLimit } from './receive-body.ts'
import { BODY_BYTES } from './limits.ts'

/** Requests with large bodies in hand, of all subjects of a server. */
export const createLargeBodies = (): FairQueue =>
  new FairQueue({
    what: 'large requests are being received',
    atOnce: 8,
    atOncePerCaller: 1,
    maxWaiting: 128,
    maxWaitingPerCaller: 16,
  })

/**
 * Lets requests whose body may exceed 1 MiB wait, unread, until those of the same caller are answered: a body takes
 * three times its size of memory as bytes, text and values. Throws TooManyRequests when too many wait. `max` is
 * `server.body_limit`.
 */
export function queueLargeBodies(app: FastifyInstance, queue: FairQueue, max: number): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { headers, state, ip } = request
    const announced = Number(headers['content-length'] ?? Infinity)
    const viewer = state.admitted?.viewer
    if (viewer === undefined || Math.min(announced, bodyLimit(request, max)) <= BODY_BYTES) return done(null, payload)
    const answered = (): Promise<void> =>
      new Promise((resolve) => {
        if (reply.raw.closed) resolve()
        reply.raw.once('close', resolve)
        done(null, payload)
      })
    queue.run(callerKey(viewer, ip), answered).then(undefined, done)
  })
}
