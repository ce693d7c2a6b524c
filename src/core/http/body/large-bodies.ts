import type { IncomingMessage, ServerResponse } from 'node:http'
import { FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { endSlow } from './receive-timeout.ts'

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
