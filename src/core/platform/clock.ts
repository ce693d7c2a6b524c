import { flatText } from './flat-text.ts'

/** Time as the rest of the server sees it: epoch milliseconds. Tests pass their own. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

const DAY_SECONDS = 86_400
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
let lastDay = Number.NaN
let lastDate = ''

/**
 * RFC 3339 in UTC with whole seconds, the wire form of every time (behaviour/auth-and-access#response-conventions).
 * NOTE: a list of commits shows hundreds, mostly of few days, so the last formatted date is cached.
 */
export function wireTime(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const day = Math.floor(seconds / DAY_SECONDS)
  if (day !== lastDay) {
    lastDate = new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, -14)
    lastDay = day
  }
  const rest = seconds - day * DAY_SECONDS
  const time = `${TWO_DIGITS[Math.floor(rest / 3600)]}:${TWO_DIGITS[Math.floor(rest / 60) % 60]}:${TWO_DIGITS[rest % 60]}Z`
  return flatText(lastDate, 'T', time)
}

/** The wire form of a time that is not set but stored as a number. */
export const EPOCH_TIME = '1970-01-01T00:00:00Z'

/** Wire form of a value that does not apply. */
export const ZERO_TIME = '0001-01-01T00:00:00Z'
