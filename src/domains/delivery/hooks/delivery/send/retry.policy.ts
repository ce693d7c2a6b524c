const FIRST_RETRY_MS = 5_000
const LONGEST_RETRY_MS = 3_600_000
const JITTER = 0.25
/** Longer than any pause. */
export const MAX_RETRY_MS = LONGEST_RETRY_MS * (1 + JITTER)
const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 900_000
/** The number of consecutive failures after which a server is paused. */
const SILENCES = 5
/** Deliveries with fewer failures are never dead, even if the clock was set forward. */
const FEWEST_FAILURES = 5

const doubled = (first: number, times: number, longest: number): number =>
  Math.min(longest, first * 2 ** Math.min(times, 30))

/**
 * Milliseconds until the next attempt after this many consecutive failures of a webhook: 5 s, doubled each time up to
 * an hour, plus or minus up to a quarter (behaviour/orgs-webhooks-actions#retries). `random` is from 0 to 1.
 */
export const retryDelay = (failures: number, random: number): number =>
  Math.round(doubled(FIRST_RETRY_MS, failures - 1, LONGEST_RETRY_MS) * (1 - JITTER + 2 * JITTER * random))

/**
 * Milliseconds for which a server is paused after this many consecutive attempts without a response; 0 for no pause
 * (behaviour/orgs-webhooks-actions#retries).
 */
export const pauseOf = (silences: number): number =>
  silences < SILENCES ? 0 : doubled(FIRST_PAUSE_MS, silences - SILENCES, LONGEST_PAUSE_MS)

interface Age {
  readonly queuedAt: number
  readonly now: number
  /** Consecutive failures of the webhook. */
  readonly failures: number
  readonly retryMs: number
}

/** Whether a delivery that failed again has used up its retry time. */
export const isGivenUp = ({ queuedAt, now, failures, retryMs }: Age): boolean =>
  failures >= FEWEST_FAILURES && now - queuedAt >= retryMs
