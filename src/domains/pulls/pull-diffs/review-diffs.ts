import type { DiffLine, DiffRange, DiffSpan, FileLines, Git } from '../../../core/git/index.ts'
import type { Repo } from '../../repositories/index.ts'

type StoredRepo = Pick<Repo, 'storage' | 'objectFormat'>

/**
 * Questions of reviews about diffs (behaviour/pull-requests#positions-of-review-comments). A span is the merge base and
 * the head of a pull request at some time; `spanOf` returns the present one. Both commits must be in the base
 * repository. Every method starts git processes, so call it outside of transactions. Throws Invalid for anything but a
 * full id, NotFound for a missing commit.
 */
export interface ReviewDiffs {
  /**
   * Maps lines of the diff `before` to lines of the diff `after`, in the given order; undefined for outdated ones.
   * Paths are names in the head, or old names of files that the head lacks. Starts one process for each file that
   * differs, and one for renames on each side.
   */
  mapPositions(
    repo: StoredRepo,
    before: DiffSpan,
    after: DiffSpan,
    places: readonly DiffRange[],
  ): Promise<readonly (FileLines | undefined)[]>
  /** The `diff_hunk` of a comment on a line; empty when the line is missing. At most 9 KiB. */
  diffHunkOf(repo: StoredRepo, span: DiffSpan, line: DiffLine): Promise<string>
  /**
   * The `commit_id` of a comment on a line: the commit that last changed it. The head for lines of the old side, for
   * missing lines, and when the search takes more than five seconds.
   */
  lineCommitOf(repo: StoredRepo, span: DiffSpan, line: DiffLine): Promise<string>
  /**
   * Whether a push changed the reviewed content: false when `after` changes the same files in the same way, as after a
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
