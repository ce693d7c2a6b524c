import type { KeywordAction } from './parsing/parse-references.ts'

interface ReferenceSide {
  readonly repoId: number
  readonly isPull: boolean
}

interface KeywordUse {
  readonly source: ReferenceSide & { readonly isComment: boolean }
  readonly target: ReferenceSide
  /** The author may write the target, or created it. */
  readonly mayClose: boolean
}

/**
 * The effect of a keyword in the text of an issue, a pull request or a comment: none, except in pull requests for
 * issues (behaviour/issues#references-keywords-mentions).
 */
export function decideAction(keyword: KeywordAction, { source, target, mayClose }: KeywordUse): KeywordAction {
  if (!source.isPull || target.isPull) return 'none'
  return needsRight({ source, target }) && !mayClose ? 'none' : keyword
}

interface RightUse {
  readonly source: { readonly repoId: number; readonly isComment: boolean }
  readonly target: { readonly repoId: number }
}

/** Whether the author must be allowed to close the issue; within a pull request's own repository the merge decides. */
export const needsRight = ({ source, target }: RightUse): boolean => source.isComment || source.repoId !== target.repoId

interface CommitUse {
  /** Full name of the pushed branch. */
  readonly ref: string
  readonly isDefaultBranch: boolean
  /** Keywords act on every branch. */
  readonly anyBranch: boolean
  readonly isSameRepo: boolean
  /** The `ref` of the issue. */
  readonly issueRef: string
}

/** Whether the keywords of commits act on this branch (behaviour/issues#references-keywords-mentions). */
export const actsOnBranch = ({ ref, isDefaultBranch, anyBranch, isSameRepo, issueRef }: CommitUse): boolean =>
  anyBranch || isDefaultBranch || (isSameRepo && (issueRef === ref || `refs/heads/${issueRef}` === ref))
