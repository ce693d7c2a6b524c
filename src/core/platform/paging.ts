/** A window into a list. `page` counts from 1; `offset` and `limit` are rows. */
export interface Paging {
  readonly page: number
  readonly limit: number
  readonly offset: number
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Rows the caller may see, whatever the window. */
  readonly total: number
}

export interface PagingLimits {
  readonly defaultLimit: number
  readonly maxLimit: number
}

/**
 * Never an error: an invalid value is the default, a value above the cap is the cap (behaviour/auth-and-access#paging).
 */
export function parsePaging(page: string | undefined, limit: string | undefined, limits: PagingLimits): Paging {
  const wantedLimit = parseCount(limit)
  const size = wantedLimit <= 0 ? limits.defaultLimit : Math.min(wantedLimit, limits.maxLimit)
  const number = Math.max(1, parseCount(page))
  // COMPAT: a page so far out that no 64-bit offset leads there is the first one (src/core/platform/paging.test.ts).
  const wanted = Number.isSafeInteger((number - 1) * size) ? number : 1
  return { page: wanted, limit: size, offset: (wanted - 1) * size }
}

/** Like parseInteger; a number with too many digits becomes the largest number. */
function parseCount(text: string | undefined): number {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return 0
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}

/** The total, when the rows of a page show it: on the last page, if it is not behind the end. Else undefined. */
export function totalOf({ limit, offset }: Paging, rows: number): number | undefined {
  return rows < limit && (rows > 0 || offset === 0) ? offset + rows : undefined
}

/** A query integer: 0 when it does not parse. */
export function parseInteger(text: string | undefined): number {
  if (text === undefined || !/^[+-]?\d{1,15}$/.test(text)) return 0
  return Number(text)
}

export function pageOf<T>(all: readonly T[], paging: Paging): Page<T> {
  return { items: all.slice(paging.offset, paging.offset + paging.limit), total: all.length }
}
