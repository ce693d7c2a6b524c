import { buildMerge, type BuildContext, type MergeOutcome, type MergePlan } from './build-merge.ts'
import { inMergeSpace } from './merge-space.ts'

interface MergeResult {
  /** The id of the merged tree; with conflicts, of one with conflict markers. */
  readonly tree: string
  /** Paths that could not be merged; none for a clean merge. */
  readonly conflicts: readonly string[]
}

export interface Merges {
  /**
   * Three-way merge of two commits with renames, from their own merge bases; touches no ref. A tree without conflicts is
   * in the repository, durably. One process; use within `writing`.
   */
  mergeTrees(ours: string, theirs: string): Promise<MergeResult>
  /** The same, leaving nothing behind: the tree is not in the repository. */
  tryMerge(ours: string, theirs: string): Promise<MergeResult>
  /**
   * Builds the commit that a merge leads to, durably; moves no ref. Takes one process for a merge or a squash; for a
   * rebase one, and another for each commit that needs a merge of contents. GitError `timeout` after a minute. Use
   * within `writing`, and move a ref right after.
   */
  build(plan: MergePlan): Promise<MergeOutcome>
  /** The same, leaving nothing behind, and with the places that conflict. The commit of its answer does not exist. */
  preview(plan: MergePlan): Promise<MergeOutcome>
}

const DEADLINE_MS = 120_000

export function createMerges(context: BuildContext): Merges {
  const mergeTrees = (ours: string, theirs: string, { keeps }: { readonly keeps: boolean }): Promise<MergeResult> =>
    inMergeSpace(context, performance.now() + DEADLINE_MS, async (space) => {
      const value = await space.mergeCommits(ours, theirs)
      return { value, keep: keeps && value.conflicts.length === 0 }
    })
  return {
    mergeTrees: (ours, theirs) => mergeTrees(ours, theirs, { keeps: true }),
    tryMerge: (ours, theirs) => mergeTrees(ours, theirs, { keeps: false }),
    build: (plan) => buildMerge(context, plan),
    preview: (plan) => buildMerge(context, plan, { isPreview: true }),
  }
}
