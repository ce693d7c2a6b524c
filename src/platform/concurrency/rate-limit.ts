import type { Clock } from '../clock.ts'
import { TooManyRequestsError } from '../errors.ts'
import { boundedCache } from '../lru.ts'

interface RateLimitOptions {
  readonly clock: Clock
  /** What is limited, for the message of a refusal. */
  readonly what: string
  /** Units that come back in a minute; 0 is no limit. */
  readonly perMinute: number
  /** Units that may be spent at once. */
  readonly burst: number
}

interface Bucket {
  units: number
  /** Milliseconds since the epoch. */
  at: number
}

const MAX_BUCKETS = 50_000
const MINUTE_MS = 60_000

/**
 * A bucket of units for each key, from which requests take and which fills up with time. NOTE: the buckets are of this
 * process: with several processes each of them grants the whole limit. When there are more than 50,000 keys the one
 * that was not used for the longest time is deleted, which fills its bucket.
 */
export class RateLimit {
  readonly #options: RateLimitOptions
  readonly #buckets = boundedCache<string, Bucket>(MAX_BUCKETS)

  constructor(options: RateLimitOptions) {
    this.#options = options
  }

  /** Throws TooManyRequestsError, which says when there will be enough, and takes nothing then. */
  take(key: string, units = 1): void {
    const { clock, what, perMinute, burst } = this.#options
    if (perMinute === 0) return
    const now = clock.now()
    const bucket = this.#buckets.get(key) ?? { units: burst, at: now }
    const filled = Math.min(burst, bucket.units + (Math.max(0, now - bucket.at) * perMinute) / MINUTE_MS)
    const wanted = Math.min(units, burst)
    if (filled < wanted) {
      const seconds = Math.ceil(((wanted - filled) * MINUTE_MS) / perMinute / 1000)
      throw new TooManyRequestsError(`too many ${what} from this address, try again in ${seconds} seconds`, seconds)
    }
    this.#buckets.set(key, { units: filled - wanted, at: now })
  }
}
