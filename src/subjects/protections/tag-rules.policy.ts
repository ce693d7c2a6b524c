import type { Matcher } from '../../platform/patterns/glob.ts'

/** A tag protection as it concerns one user. */
export interface TagRule {
  readonly matches: Matcher
  /** The user is named by the rule, itself or by a team. */
  readonly isListed: boolean
}

/**
 * Whether a writer may create, move or delete a tag: no rule protects it, or one of the rules that do names the user
 * (behaviour/repositories#tag-protections).
 */
export function mayChangeTag(tag: string, rules: readonly TagRule[]): boolean {
  const matching = rules.filter((rule) => rule.matches(tag))
  return matching.length === 0 || matching.some((rule) => rule.isListed)
}

/** The expression of a pattern that is written between slashes. */
export const tagExpression = (pattern: string): string | undefined =>
  pattern.length > 2 && pattern.startsWith('/') && pattern.endsWith('/') ? pattern.slice(1, -1) : undefined
