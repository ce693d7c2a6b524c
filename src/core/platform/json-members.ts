/**
 * Untrusted JSON of another server: every reader returns a harmless value for members that are not as
 * expected.
 */
export type Members = Readonly<Record<string, unknown>>

export const members = (value: unknown): Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Members) : {}
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
/**
 * Cut at `maxLength` characters; empty for other values. Lone surrogates and NUL, which databases refuse, are removed.
 */
export const textOf = (value: unknown, maxLength = Number.POSITIVE_INFINITY): string =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '').slice(0, maxLength) : ''
export const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
/** Epoch milliseconds; undefined for anything but a time after 1970. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return time > 0 ? time : undefined
}

/** Undefined for invalid JSON. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}
