import type { IncomingMessage, ServerResponse } from 'node:http'
import { FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { endSlow } from './receive-timeout.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { rateLimitKeyOf } from '../../access/viewer.ts'
import { clientNetwork } from '../../platform/http/client-network.ts'
import { BODY_BYTES, URLENCODED_BYTES } from './limits.ts'
import type { Readable } from 'node:stream'
import { engineErrors } from '../../platform/errors.ts'
import { isUrlEncoded } from './form.ts'

interface RateLimits {
  /** Milliseconds before the rate of a body is checked, and for the client to read the response. */
  readonly graceMs: number
  /** Minimum rate since the body got its slot. */
  readonly bytesPerSecond: number
}

/** The sender of a body. */
export interface Sender {
  readonly rateLimitKey: string
  /** The network of the client, as returned by `clientNetwork`. */
  readonly network: string
}

export interface Exchange {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
}

interface Slot extends Exchange {
  readonly since: number
  /** Bytes of the connection before the body. */
  readonly bytesBefore: number
  answeredAt: number | undefined
  release(): void
}

const RATE: RateLimits = { graceMs: 10_000, bytesPerSecond: 64 * 1024 }
const TICKS_OF_GRACE = 4
const WHAT = 'large requests are being received'

/**
 * Limits the large bodies that are received at once: one per caller, four per network, so that slow clients of one
 * address leave slots for others, and eight in all. While another request waits for a slot, a body that arrives too
 * slowly loses its slot: the connection is ended with 408. A client that does not read its response keeps the
 * connection.
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
  readonly #slots = new Set<Slot>()
  #timer: NodeJS.Timeout | undefined

  constructor(rate = RATE) {
    this.#rate = rate
  }

  /**
   * Calls `begin` when the body may be read; settles when the request has been answered or closed. Throws
   * TooManyRequests if too many requests wait.
   */
  receive({ rateLimitKey, network }: Sender, exchange: Exchange, begin: () => void): Promise<void> {
    return this.#callers.run(rateLimitKey, () => this.#networks.run(network, () => this.#hold(exchange, begin)))
  }

  #hold({ raw, response }: Exchange, begin: () => void): Promise<void> {
    return new Promise((resolve) => {
      const bytesBefore = raw.socket.bytesRead
      const slot = { raw, response, since: performance.now(), bytesBefore, answeredAt: undefined, release }
      const slots = this.#slots
      function release(): void {
        slots.delete(slot)
        resolve()
      }
      if (response.closed) resolve()
      else {
        slots.add(slot)
        response.once('close', release)
        this.#watch()
      }
      begin()
    })
  }

  /** The timer runs while bodies are being received. */
  #watch(): void {
    this.#timer ??= setInterval(() => {
      if (this.#networks.waiting > 0) for (const slot of this.#slots) this.#check(slot)
      if (this.#slots.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }, this.#rate.graceMs / TICKS_OF_GRACE).unref()
  }

  #check(slot: Slot): void {
    const { raw, response, since, bytesBefore } = slot
    const { graceMs, bytesPerSecond } = this.#rate
    const now = performance.now()
    if (raw.complete) {
      if (response.headersSent) slot.answeredAt ??= now
      if (slot.answeredAt !== undefined && now - slot.answeredAt > graceMs) slot.release()
      return
    }
    // NOTE: received but unread bytes wait for the server, not for the client.
    if (now - since <= graceMs || raw.readableLength > 0 || raw.socket.isPaused()) return
    if (((raw.socket.bytesRead - bytesBefore) * 1000) / (now - since) < bytesPerSecond) endSlow({ raw, response })
  }
}

/**
 * Bytes beyond the limit that are read and dropped before the refusal: a client whose connection closes
 * while it sends loses the response.
 */
const DISCARDED_BYTES = 8 * 1024 * 1024

/** Maximum bytes of a body whose chunks are joined. */
const CHUNKS_BYTES = 1024 * 1024

/** The part of a request that exists before authorization. */
type Receiving = Pick<FastifyRequest, 'headers' | 'state'>

/** Maximum bytes of the body of a request; `max` is the limit of all operations. */
export function bodyLimit({ headers, state }: Receiving, max: number): number {
  const own = state.match!.operation.bodyLimit
  return Math.min(max, own, isUrlEncoded(headers) ? URLENCODED_BYTES : Infinity)
}

/**
 * Returns the bytes of a body in one buffer. Throws TooLarge for more than `limit`: before reading if the client
 * announces its length, else as soon as more have arrived.
 */
export async function receiveBody(payload: Readable, announced: number, limit: number): Promise<Buffer> {
  // NOTE: created only when thrown, because recording the stack is expensive.
  const refusal = () => engineErrors.bodyTooLarge(limit)
  if (announced > limit + DISCARDED_BYTES) throw refusal()
  // NOTE: joining chunks at the end would briefly take twice the memory.
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
 * Requests whose body may exceed 1 MiB wait, unread, until those of the same caller are answered: a body takes
 * three times its size of memory as bytes, text and values. The time limit of a body starts when it is
 * read. Throws TooManyRequests if too many wait. `max` is the limit of all operations.
 */
export function queueLargeBodies(app: FastifyInstance, bodies: LargeBodies, max: number): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { headers, state, ip, raw } = request
    const announced = Number(headers['content-length'] ?? Infinity)
    const viewer = state.authorized?.viewer
    if (viewer === undefined || Math.min(announced, bodyLimit(request, max)) <= BODY_BYTES) return done(null, payload)
    state.receivingSince = Infinity
    const begin = (): void => {
      state.receivingSince = performance.now()
      done(null, payload)
    }
    const sender = { rateLimitKey: rateLimitKeyOf(viewer, ip), network: clientNetwork(ip) }
    bodies.receive(sender, { raw, response: reply.raw }, begin).then(undefined, done)
  })
}
