import type { Driver } from './ranges.store.ts'

/** So many ids are sorted in less time than others are skipped. */
const FEW = 5000

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

/**
 * Where to begin: the filter that the fewest issues pass, unless these would have to be sorted and it is cheaper to read
 * the list in order and skip what the filter excludes.
 */
export function chooseDriver({ narrow, wide, byCreation, wanted }: Choice): Driver {
  const least = (drivers: readonly Driver[]): Driver | undefined => drivers.toSorted((a, b) => a.count - b.count)[0]
  const ordered = byCreation ? least(narrow.filter(({ isOrdered }) => isOrdered)) : undefined
  const best = least(narrow)
  if (best === undefined) return wide
  const skipped = (wanted * (ordered ?? wide).count) / Math.max(1, best.count)
  return best.count <= Math.max(FEW, skipped) && best.count < (ordered?.count ?? Number.POSITIVE_INFINITY)
    ? best
    : (ordered ?? wide)
}
