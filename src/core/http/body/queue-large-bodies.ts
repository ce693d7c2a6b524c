import type { FastifyInstance } from 'fastify'
import { callerKey } from '../../access/caller-key.ts'
import { clientNetwork } from '../../platform/http/client-network.ts'
import type { LargeBodies } from './large-bodies.ts'
import { bodyLimit } from './receive-body.ts'
import { BODY_BYTES } from './limits.ts'

/**
 * Lets requests whose body may exceed 1 MiB wait, unread, until those of the same caller are answered: a body takes
 * three times its size of memory as bytes, text and values. The time in which a body must arrive begins when it is
 * read. Throws TooManyRequests when too many wait. `max` is `server.body_limit`.
 */
export function queueLargeBodies(app: FastifyInstance, bodies: LargeBodies, max: number): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { headers, state, ip, raw } = request
    const announced = Number(headers['content-length'] ?? Infinity)
    const viewer = state.admitted?.viewer
    if (viewer === undefined || Math.min(announced, bodyLimit(request, max)) <= BODY_BYTES) return done(null, payload)
    state.receivingSince = Infinity
    const begin = (): void => {
      state.receivingSince = performance.now()
      done(null, payload)
    }
    const sender = { caller: callerKey(viewer, ip), network: clientNetwork(ip) }
    bodies.receive(sender, { raw, response: reply.raw }, begin).then(undefined, done)
  })
}
