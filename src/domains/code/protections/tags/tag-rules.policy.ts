import { createPauses } from '../../../../core/platform/concurrency/pauses.ts'

/** A tag protection for one user. */
export interface TagRule {
  /** Compiles the pattern at its first use. */
  matches(tag: string): Promise<boolean>
  /** The lists of the rule contain the user or a team of the user. */
  readonly isListed: boolean
}

/**
 * Whether a writer may create, move or delete a tag: no rule protects it, or one of those that protect it lists the
 * user (behaviour/repositories#tag-protections). Pauses: patterns may take long.
 */
export async function mayChangeTag(tag: string, rules: readonly TagRule[]): Promise<boolean> {
  const pause = createPauses()
  let isProtected = false
  for (const rule of rules) {
    await pause()
    if (!(await rule.matches(tag))) continue
    if (rule.isListed) return true
    isProtected = true
  }
  return !isProtected
}

/** The regular expression in a pattern between slashes; undefined for a glob. */
export const tagExpression = (pattern: string): string | undefined =>
  pattern.length > 2 && pattern.startsWith('/') && pattern.endsWith('/') ? pattern.slice(1, -1) : undefined
