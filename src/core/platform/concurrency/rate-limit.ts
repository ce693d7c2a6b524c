import type { Clock } from '../clock.ts'
import { TooManyRequestsError } from '../errors.ts'
import { boundedCache } from '../lru.ts'
import type { Announcer } from './processes.ts'

interface RateLimitOptions {
  readonly clock: Clock
  /** The subject of the limit, for the message of a refusal; unique to this limit. */
  readonly what: string
  /** Units that are added in a minute; 0 for no limit. */
  readonly perMinute: number
  /** Units that may be spent at once. */
  readonly burst: number
  /** Undefined if this is the only process. */
  readonly processes?: Announcer
}

interface Bucket {
  units: number
  /** Milliseconds since the epoch. */
  at: number
}

const MAX_BUCKETS = 50_000
const MINUTE_MS = 60_000

/**
 * A bucket of units for each key, from which requests take and which fills up with time. Every process has its own
 * buckets and subtracts what the others announce: a limit is exceeded by their requests in the milliseconds that an
 * announcement needs. When there are more than 50,000 keys the one that was not used for the longest time is deleted,
 * which fills its bucket.
 */
export class RateLimit {
  readonly #options: RateLimitOptions
  readonly #topic: string
  readonly #buckets = boundedCache<string, Bucket>(MAX_BUCKETS)

  constructor(options: RateLimitOptions) {
    this.#options = options
    this.#topic = `rate of ${options.what}`
    options.processes?.onAnnounced(this.#topic, (detail) => this.#takenElsewhere(detail))
  }

  /** Throws TooManyRequestsError, which says when there will be enough, and takes nothing then. */
  take(key: string, units = 1): void {
    const { clock, what, perMinute, burst, processes } = this.#options
    if (perMinute === 0) return
    const now = clock.now()
    const filled = this.#unitsAt(key, now)
    const wanted = Math.min(units, burst)
    if (filled < wanted) {
      const seconds = Math.ceil(((wanted - filled) * MINUTE_MS) / perMinute / 1000)
      throw new TooManyRequestsError(`too many ${what} from this address, try again in ${seconds} seconds`, seconds)
    }
    this.#buckets.set(key, { units: filled - wanted, at: now })
    processes?.announce(this.#topic, `${wanted} ${key}`)
  }

  #unitsAt(key: string, now: number): number {
    const { burst, perMinute } = this.#options
    const bucket = this.#buckets.get(key) ?? { units: burst, at: now }
    return Math.min(burst, bucket.units + (Math.max(0, now - bucket.at) * perMinute) / MINUTE_MS)
  }

  #takenElsewhere(detail: string): void {
    const space = detail.indexOf(' ')
    const key = detail.slice(space + 1)
    const now = this.#options.clock.now()
    this.#buckets.set(key, { units: Math.max(0, this.#unitsAt(key, now) - Number(detail.slice(0, space))), at: now })
  }
}
