const FIRST_RETRY_MS = 5_000
const LONGEST_RETRY_MS = 3_600_000
const JITTER = 0.25
/** Longer than any pause. */
export const MAX_RETRY_MS = LONGEST_RETRY_MS * (1 + JITTER)
const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 900_000
/** Failures in a row after which a server is left alone. */
const SILENCES = 5
/** A clock that was set forward makes nothing dead before this many failures. */
const FEWEST_FAILURES = 5

const doubled = (first: number, times: number, longest: number): number =>
  Math.min(longest, first * 2 ** Math.min(times, 30))

/**
 * Milliseconds until a webhook is tried again after this many failures in a row: 5 s, doubled each time up to an hour,
 * and up to a quarter more or less (behaviour/orgs-webhooks-actions#retries). `random` is from 0 to 1.
 */
export const retryDelay = (failures: number, random: number): number =>
  Math.round(doubled(FIRST_RETRY_MS, failures - 1, LONGEST_RETRY_MS) * (1 - JITTER + 2 * JITTER * random))

/**
 * Milliseconds for which nothing is sent to a server that gave no answer this many times in a row; 0 for none
 * (behaviour/orgs-webhooks-actions#retries).
 */
export const pauseOf = (silences: number): number =>
  silences < SILENCES ? 0 : doubled(FIRST_PAUSE_MS, silences - SILENCES, LONGEST_PAUSE_MS)

interface Age {
  readonly queuedAt: number
  readonly now: number
  /** Of the webhook, in a row. */
  readonly failures: number
  readonly retryMs: number
}

/** Whether a delivery that failed again has been retried for long enough. */
export const isGivenUp = ({ queuedAt, now, failures, retryMs }: Age): boolean =>
  failures >= FEWEST_FAILURES && now - queuedAt >= retryMs
