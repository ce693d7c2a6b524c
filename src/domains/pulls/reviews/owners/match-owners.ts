import { createPauses } from '../../../../core/platform/concurrency/pauses.ts'
import { compileSafeRegExp } from '../../../../core/platform/patterns/safe-regexp.ts'
import type { OwnerRule } from '../reviews.policy.ts'

/** Milliseconds of comparing paths with patterns: rules that are not reached have no owners. */
const MAX_WORK_MS = 5000
/** Longer paths have no owners: git cannot check them out, and matching them takes long. */
const MAX_PATH = 4096

interface MatchLimits {
  /** Milliseconds. */
  readonly maxWork?: number
}

/** What the rules say of a set of changed files. */
interface MatchedRules {
  readonly rules: readonly OwnerRule[]
  /** The work took too long: not all rules were compared. */
  readonly isCut: boolean
}

/**
 * The rules that match one of the paths: all of them count, not the last one alone
 * (behaviour/pull-requests#code-owners). A pattern that is no expression matches nothing. It pauses.
 */
export async function matchOwnerRules(
  rules: readonly OwnerRule[],
  paths: () => Iterable<string>,
  { maxWork = MAX_WORK_MS }: MatchLimits = {},
): Promise<MatchedRules> {
  const matched: OwnerRule[] = []
  const pause = createPauses()
  let spent = 0
  for (const rule of rules) {
    const matches = await compileSafeRegExp(rule.pattern)
    if (matches === undefined) continue
    for (const path of paths()) {
      await pause()
      if (spent > maxWork) return { rules: matched, isCut: true }
      if (path.length > MAX_PATH) continue
      const begin = performance.now()
      const isMatch = matches(path) !== rule.isNegated
      spent += performance.now() - begin
      if (!isMatch) continue
      matched.push(rule)
      break
    }
  }
  return { rules: matched, isCut: false }
}
