import type { Driver } from './ranges.store.ts'

/** So many ids are sorted in less time than others are skipped. */
const FEW = 5000
/** To look one up and sort it takes so many times as long as to skip one. */
const LOOK_UP = 2

interface Choice {
  /** The filters that are set. */
  readonly narrow: readonly Driver[]
  /** All issues of the list, in its order. */
  readonly wide: Driver
  /** Ranges in the order of creation are in the order of the list. */
  readonly byCreation: boolean
  /** How many issues of the list are read, with those before the window. */
  readonly wanted: number
}

const countOf = ({ count }: Driver): number => count

const least = (drivers: readonly Driver[], cost: (driver: Driver) => number): Driver | undefined =>
  drivers.toSorted((a, b) => cost(a) - cost(b))[0]

/** Where to begin when issues are counted: their order is of no interest. */
export const chooseToCount = (drivers: readonly Driver[]): Driver | undefined =>
  least(drivers, ({ count, sources }) =>
    sources.every(({ table, hasCopies }) => typeof table === 'string' || hasCopies) ? count : count * LOOK_UP,
  )

/**
 * Where to begin: the filter that the fewest issues pass, unless these would have to be sorted and it is cheaper to
 * read the list in order and skip what the filter excludes.
 */
export function chooseDriver({ narrow, wide, byCreation, wanted }: Choice): Driver {
  const ordered = byCreation
    ? least(
        narrow.filter(({ isOrdered }) => isOrdered),
        countOf,
      )
    : undefined
  const best = least(narrow, countOf)
  if (best === undefined) return wide
  const skipped = (wanted * (ordered ?? wide).count) / Math.max(1, best.count)
  return (best.count <= FEW || best.count * LOOK_UP <= skipped) &&
    best.count < (ordered?.count ?? Number.POSITIVE_INFINITY)
    ? best
    : (ordered ?? wide)
}
