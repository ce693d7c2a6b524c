import type { PatternMatch } from './cleanup.policy.ts'

export interface NamesToMatch {
  /** Empty matches nothing. */
  readonly keep: string
  /** Empty matches everything. */
  readonly remove: string
  readonly names: readonly string[]
}

/** The whole name must match, in any case. */
const compile = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`, 'iu')

/** Matches names with expressions that users choose. Runs in a child process. */
export const createTask =
  () =>
  ({ keep, remove, names }: NamesToMatch): PatternMatch[] => {
    const [keeps, removes] = [compile(keep), compile(remove)]
    return names.map((name) => ({
      isKept: keep !== '' && keeps.test(name),
      isRemoved: remove === '' || removes.test(name),
    }))
  }
