import { UnsupportedError } from '../packs/unsupported-error.ts'
import type { Commits } from './commits.ts'

/** Commits that are looked up, of one repository: a tenth of a second. */
const MAX_FOUND = 50_000
/** Of these, how many are read because the graph does not have them. */
const MAX_READ = 64

/**
 * Where the commits of one view are in another one of the same repository, by position. UnsupportedError where one is
 * there no more, and for all further ones once too many were looked up.
 */
export function movedPositions(from: Commits, to: Commits): (position: number) => number {
  const same = to.sharedWith(from)
  const known = new Map<number, number>()
  let read = 0

  function find(position: number): number {
    if (known.size === MAX_FOUND) throw new UnsupportedError('too many commits have moved')
    const id = from.rawId(position)
    const found = to.findInGraph(id)
    if (found !== undefined) return found
    if (++read > MAX_READ) throw new UnsupportedError('too many commits are not in the commit-graph')
    return to.find(id)
  }

  return (position) => {
    if (position < same) return position
    const moved = known.get(position) ?? find(position)
    known.set(position, moved)
    return moved
  }
}
