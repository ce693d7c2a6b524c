const FORM = /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** Epoch milliseconds of an RFC 3339 text; undefined for anything else, days that no calendar has included. */
export function parseTimestamp(text: string): number | undefined {
  if (!FORM.test(text)) return undefined
  const day = text.slice(0, 10)
  // NOTE: the language takes the 31st of February for a day in March.
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

/** Like parseTimestamp, for members that may be absent or empty. */
export const parseOptionalTimestamp = (text: string | undefined): number | undefined =>
  text ? parseTimestamp(text) : undefined

/** The bounds of the second of a time: times are stored in milliseconds and shown in seconds. */
export const startOfSecond = (time: number): number => Math.floor(time / 1000) * 1000
export const endOfSecond = (time: number): number => startOfSecond(time) + 999

/** COMPAT: the time that typed clients send for a time that was not set (src/core/platform/timestamp.test.ts). */
export const ZERO_TIME_MS = -62_135_596_800_000

export const isZeroTime = (time: number): boolean => time === ZERO_TIME_MS
