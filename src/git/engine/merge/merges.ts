import { buildMerge, type BuildContext, type MergeOutcome, type MergePlan } from './build-merge.ts'
import { runMergeTree } from './merge-tree.ts'

interface MergeResult {
  /** The merged tree; with conflicts, one with conflict markers. Its objects are in the repository. */
  readonly tree: string
  /** Paths that could not be merged; none for a clean merge. */
  readonly conflicts: readonly string[]
}

export interface Merges {
  /** Three-way merge of two commits with renames, from their own merge base; touches no ref and no file. */
  mergeTrees(ours: string, theirs: string): Promise<MergeResult>
  /**
   * Builds the commit that a merge leads to, durably; moves no ref. Takes one process for a merge or a squash; for a
   * rebase one, and another for each commit that needs a merge of contents. GitError `timeout` after a minute. Use
   * within `writing`, and move a ref right after.
   */
  build(plan: MergePlan): Promise<MergeOutcome>
  /** The same, leaving nothing behind, and with the places that conflict. The commit of its answer does not exist. */
  preview(plan: MergePlan): Promise<MergeOutcome>
}

export function createMerges(context: BuildContext): Merges {
  return {
    mergeTrees: (ours, theirs) => runMergeTree(context.command, context.format, { ours, theirs }),
    build: (plan) => buildMerge(context, plan),
    preview: (plan) => buildMerge(context, plan, { isPreview: true }),
  }
}
