import type { DiffLine, DiffRange, DiffSpan, FileLines, Git } from '../../../core/git/index.ts'
import type { Repo } from '../../repositories/index.ts'

type StoredRepo = Pick<Repo, 'storage' | 'objectFormat'>

/**
 * What reviews ask of diffs (behaviour/pull-requests#positions-of-review-comments). A span is the merge base and the
 * head of a pull request at some time (`spanOf` of a pull request as it is now); both commits must be in the base
 * repository. Everything here starts git processes: call it outside of transactions. Throws Invalid for what is no full
 * id, NotFound for a commit that is gone.
 */
export interface ReviewDiffs {
  /**
   * Where lines of the diff `before` are in the diff `after`, in the order given; undefined for outdated ones. The path
   * of a place is the file's name in the head, or its old name where the head does not have it. Any number of places
   * costs one process for each file that differs, and one for renames on each side.
   */
  mapPositions(
    repo: StoredRepo,
    before: DiffSpan,
    after: DiffSpan,
    places: readonly DiffRange[],
  ): Promise<readonly (FileLines | undefined)[]>
  /** The `diff_hunk` of a comment on a line; empty for what is not there. At most 9 KiB. */
  diffHunkOf(repo: StoredRepo, span: DiffSpan, line: DiffLine): Promise<string>
  /**
   * The `commit_id` of a comment on a line: the commit that last changed it, as of the head. The head for the old side,
   * for what is not there, and where the history is too long to tell within five seconds.
   */
  lineCommitOf(repo: StoredRepo, span: DiffSpan, line: DiffLine): Promise<string>
  /**
   * Whether a push changed what was reviewed: false when `after` changes the same files in the same way, as after a
   * rebase or a merge of the base.
   */
  isContentChanged(repo: StoredRepo, before: DiffSpan, after: DiffSpan): Promise<boolean>
}

export const createReviewDiffs = (git: Git): ReviewDiffs => ({
  mapPositions: (repo, before, after, places) => git.open(repo).diffLines.follow(before, after, places),
  diffHunkOf: (repo, span, line) => git.open(repo).diffLines.excerpt(span, line),
  async lineCommitOf(repo, { head }, { path, side, line }) {
    return (side === 'new' ? await git.open(repo).blames.ofLine(head, path, line) : undefined) ?? head
  },
  isContentChanged: async (repo, before, after) => !(await git.open(repo).samePatch.isSame(before, after)),
})
