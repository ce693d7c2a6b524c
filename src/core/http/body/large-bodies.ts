import type { IncomingMessage, ServerResponse } from 'node:http'
import { FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { endSlow } from './receive-timeout.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callerKey } from '../../access/viewer.ts'
import { clientNetwork } from '../../platform/http/client-network.ts'
import { BODY_BYTES, URLENCODED_BYTES } from './limits.ts'
import type { Readable } from 'node:stream'
import { engineErrors } from '../../platform/errors.ts'
import { isUrlEncoded } from './form.ts'

interface RateLimits {
  /** Milliseconds in which a body is not measured, and in which the client reads the answer. */
  readonly graceMs: number
  /** Of the time since the body has its place. */
  readonly bytesPerSecond: number
}

/** Who sends a body. */
export interface Sender {
  readonly caller: string
  /** As `clientNetwork` gives it. */
  readonly network: string
}

export interface Exchange {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
}

interface Place extends Exchange {
  readonly since: number
  /** Of the connection, before the body. */
  readonly bytesBefore: number
  answeredAt: number | undefined
  release(): void
}

const RATE: RateLimits = { graceMs: 10_000, bytesPerSecond: 64 * 1024 }
const TICKS_OF_GRACE = 4
const WHAT = 'large requests are being received'

/**
 * Large bodies in hand, of all modules of a server: one of a caller, four of a network, so that slow clients of one
 * address leave places for others, and eight in all. While somebody waits for a place, a body that comes too slowly
 * loses its own: the connection is ended with 408. A client that does not read its answer keeps the connection.
 */
export class LargeBodies {
  readonly #rate: RateLimits
  readonly #callers = new FairQueue({
    what: WHAT,
    atOnce: Infinity,
    atOncePerCaller: 1,
    maxWaiting: 128,
    maxWaitingPerCaller: 16,
  })
  readonly #networks = new FairQueue({
    what: WHAT,
    atOnce: 8,
    atOncePerCaller: 4,
    maxWaiting: 128,
    maxWaitingPerCaller: 64,
  })
  readonly #places = new Set<Place>()
  #timer: NodeJS.Timeout | undefined

  constructor(rate = RATE) {
    this.#rate = rate
  }

  /**
   * Calls `begin` when the body may be read; settles when the request is answered or gone. Throws TooManyRequests when
   * too many wait.
   */
  receive({ caller, network }: Sender, exchange: Exchange, begin: () => void): Promise<void> {
    return this.#callers.run(caller, () => this.#networks.run(network, () => this.#hold(exchange, begin)))
  }

  #hold({ raw, response }: Exchange, begin: () => void): Promise<void> {
    return new Promise((resolve) => {
      const bytesBefore = raw.socket.bytesRead
      const place = { raw, response, since: performance.now(), bytesBefore, answeredAt: undefined, release }
      const places = this.#places
      function release(): void {
        places.delete(place)
        resolve()
      }
      if (response.closed) resolve()
      else {
        places.add(place)
        response.once('close', release)
        this.#watch()
      }
      begin()
    })
  }

  /** The timer lives as long as there are bodies in hand. */
  #watch(): void {
    this.#timer ??= setInterval(() => {
      if (this.#networks.waiting > 0) for (const place of this.#places) this.#check(place)
      if (this.#places.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }, this.#rate.graceMs / TICKS_OF_GRACE).unref()
  }

  #check(place: Place): void {
    const { raw, response, since, bytesBefore } = place
    const { graceMs, bytesPerSecond } = this.#rate
    const now = performance.now()
    if (raw.complete) {
      if (response.headersSent) place.answeredAt ??= now
      if (place.answeredAt !== undefined && now - place.answeredAt > graceMs) place.release()
      return
    }
    // NOTE: what has come and was not taken yet waits for the server, not for the client.
    if (now - since <= graceMs || raw.readableLength > 0 || raw.socket.isPaused()) return
    if (((raw.socket.bytesRead - bytesBefore) * 1000) / (now - since) < bytesPerSecond) endSlow({ raw, response })
  }
}

/**
 * Bytes beyond the limit that are read and thrown away before the refusal: a client that finds the connection closed
 * while it sends loses the answer.
 */
const DISCARDED_BYTES = 8 * 1024 * 1024

/** Bytes of a body up to which its chunks are joined. */
const CHUNKS_BYTES = 1024 * 1024

/** What is there of a request that its operation is not yet admitted to. */
type Receiving = Pick<FastifyRequest, 'headers' | 'state'>

/** Bytes that the body of a request may have; `max` is that of every operation. */
export function bodyLimit({ headers, state }: Receiving, max: number): number {
  const own = state.match!.operation.bodyLimit
  return Math.min(max, own, isUrlEncoded(headers) ? URLENCODED_BYTES : Infinity)
}

/**
 * The bytes of a body in one piece. Throws TooLarge for more than `limit`: before any is kept when the client announces
 * its length, else as soon as more have come.
 */
export async function receiveBody(payload: Readable, announced: number, limit: number): Promise<Buffer> {
  // NOTE: an error is expensive, since it records the stack: made only when it is thrown.
  const refusal = () => engineErrors.bodyTooLarge(limit)
  if (announced > limit + DISCARDED_BYTES) throw refusal()
  // NOTE: chunks that are joined in the end take twice the memory for a moment.
  const whole = announced > CHUNKS_BYTES && announced <= limit ? Buffer.allocUnsafeSlow(announced) : undefined
  const chunks: Buffer[] = []
  let size = 0
  await new Promise<void>((resolve, reject) => {
    payload.on('data', (chunk: Buffer) => {
      const at = size
      size += chunk.length
      if (whole !== undefined) chunk.copy(whole, at)
      else if (size <= limit) chunks.push(chunk)
      else if (size > limit + DISCARDED_BYTES) reject(refusal())
      else chunks.length = 0
    })
    payload.once('end', resolve)
    payload.once('error', reject)
  })
  if (size > limit) throw refusal()
  return whole ?? Buffer.concat(chunks, size)
}

/**
 * Lets requests whose body may exceed 1 MiB wait, unread, until those of the same caller are answered: a body takes
 * three times its size of memory as bytes, text and values. The time in which a body must arrive begins when it is
 * read. Throws TooManyRequests when too many wait. `max` is that of every operation.
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
