import type { Candidate } from './candidates.store.ts'
import type { CleanupLimits } from './cleanup-rule.store.ts'

export const DAY = 24 * 60 * 60 * 1000

/** Matches of the patterns of a rule with the name of a version. */
export interface PatternMatch {
  readonly isKept: boolean
  readonly isRemoved: boolean
}

/** The format's decision on a version, independent of the rule. */
export type Standing =
  /** The rule decides. */
  | 'plain'
  /** Stays, and counts among the newest. */
  | 'kept'
  /** Stays, or goes, without counting among the newest. */
  | 'attached'
  | 'orphan'

export interface JudgedVersion extends Candidate, PatternMatch {
  readonly standing: Standing
}

/** The text that the patterns are compared with. */
export const matchedName = ({ matchesFullName }: CleanupLimits, { name, version }: Candidate): string =>
  matchesFullName ? `${name}/${version}` : version

/**
 * The versions of one package that a rule deletes. A version that any condition keeps is not deleted: the newest
 * versions, names that match `keepPattern`, versions younger than `removeDays`, names that do not match
 * `removePattern`.
 */
export function decideCleanup(rule: CleanupLimits, versions: readonly JudgedVersion[], now: number): JudgedVersion[] {
  const newestFirst = versions.toSorted((a, b) => b.changedAt - a.changedAt || b.id - a.id)
  const counted = newestFirst.filter(({ standing }) => standing === 'plain' || standing === 'kept')
  const newest = new Set(counted.slice(0, rule.keepCount))
  return newestFirst.filter(
    (one) =>
      one.standing === 'orphan' ||
      (one.standing === 'plain' &&
        !newest.has(one) &&
        !one.isKept &&
        one.isRemoved &&
        one.changedAt <= now - rule.removeDays * DAY),
  )
}
