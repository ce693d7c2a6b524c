/** Time as the rest of the server sees it: epoch milliseconds. Tests pass their own. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** RFC 3339 in UTC with whole seconds, the wire form of every time (reference auth-and-access §13). */
export function wireTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** Wire form of a moment that never came but is stored as a number. */
export const EPOCH_TIME = '1970-01-01T00:00:00Z'

/** Wire form of a value that does not apply. */
export const ZERO_TIME = '0001-01-01T00:00:00Z'
