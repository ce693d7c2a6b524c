import type { Matcher } from '../../../platform/patterns/glob.ts'

/** A tag protection for one user. */
export interface TagRule {
  readonly matches: Matcher
  /** The lists of the rule contain the user or a team of the user. */
  readonly isListed: boolean
}

/**
 * Whether a writer may create, move or delete a tag: no rule protects it, or one of those that protect it lists the
 * user (behaviour/repositories#tag-protections).
 */
export function mayChangeTag(tag: string, rules: readonly TagRule[]): boolean {
  const matching = rules.filter((rule) => rule.matches(tag))
  return matching.length === 0 || matching.some((rule) => rule.isListed)
}

/** The regular expression in a pattern between slashes; undefined for a glob. */
export const tagExpression = (pattern: string): string | undefined =>
  pattern.length > 2 && pattern.startsWith('/') && pattern.endsWith('/') ? pattern.slice(1, -1) : undefined
