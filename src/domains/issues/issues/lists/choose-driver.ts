import type { Driver } from './ranges.store.ts'

/** Up to this many ids, sorting is faster than skipping. */
const FEW = 5000
/** A filter that leaves at least this part of the list is not worth sorting for, however few they are. */
const MOST = 1 / 4
/** The cost of looking up and sorting one id, in multiples of skipping one. */
const LOOK_UP = 2

interface Choice {
  /** The filters that are set. */
  readonly narrow: readonly Driver[]
  /** All issues of the list, in list order. */
  readonly wide: Driver
  /** Ranges in creation order are in list order. */
  readonly byCreation: boolean
  /** The number of issues of the list to read, including those before the window. */
  readonly wanted: number
}

const countOf = ({ count }: Driver): number => count

const least = (drivers: readonly Driver[], cost: (driver: Driver) => number): Driver | undefined =>
  drivers.toSorted((a, b) => cost(a) - cost(b))[0]

/** The access path for a count, where the order does not matter. */
export const chooseToCount = (drivers: readonly Driver[]): Driver | undefined =>
  least(drivers, ({ count, sources }) =>
    sources.every(({ table, hasCopies }) => typeof table === 'string' || hasCopies) ? count : count * LOOK_UP,
  )

/**
 * The access path of a list: the most selective filter, unless its issues would have to be sorted and it is cheaper to
 * read the list in order and skip excluded issues.
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
  const leavesFew = best.count <= FEW && best.count < wide.count * MOST
  return (leavesFew || best.count * LOOK_UP <= skipped) && best.count < (ordered?.count ?? Number.POSITIVE_INFINITY)
    ? best
    : (ordered ?? wide)
}
