/**
 * JSON of another server, of which nothing is certain: every reader gives something harmless for what is not as
 * expected.
 */
export type Members = Readonly<Record<string, unknown>>

export const members = (value: unknown): Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Members) : {}
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
/**
 * Cut at `maxLength` characters; empty for what is no text. Lone surrogates and NUL, which databases refuse, are taken
 * out.
 */
export const textOf = (value: unknown, maxLength = Number.POSITIVE_INFINITY): string =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '').slice(0, maxLength) : ''
export const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
/** Epoch milliseconds; undefined for what is no time after 1970. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return time > 0 ? time : undefined
}

/** Undefined for what is no JSON. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}
