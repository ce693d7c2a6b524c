/** Rows that fill lists: what no API could make in reasonable time. */
export interface ListSize {
  readonly users: number
  readonly repos: number
  /** Follows, and as many stars. */
  readonly ties: number
}

const FULL: ListSize = { users: 20_000, repos: 20_000, ties: 100_000 }
/** Enough for the page that is asked for furthest behind. */
const MIN = 200

export function listSize(scale: number): ListSize {
  const of = (full: number): number => Math.max(MIN, Math.round(full * scale))
  return { users: of(FULL.users), repos: of(FULL.repos), ties: of(FULL.ties) }
}

/** The first of each has so many followers, followed, starred and stargazers as there are accounts by 20. */
export const HUB_SHARE = 20
export const listUser = (i: number): string => `listed-user-${i}`
export const listRepo = (i: number): string => `listed-repo-${i}`
