import type { Memo } from '../memo.ts'
import { createObjectWriter } from '../write/tree-edit.ts'
import { trivialMerge } from './apply-commit.ts'
import {
  buildMerge,
  type BuildContext,
  mergedFiles,
  type MergeOutcome,
  type MergePlan,
  treesOf,
} from './build-merge.ts'
import { inMergeSpace, type TreeSpace, type LeafChange, listChanges } from './merge-tree.ts'

interface MergeResult {
  /** The id of the merged tree; with conflicts, it contains conflict markers. */
  readonly tree: string
  /** Paths that could not be merged; empty for a clean merge. */
  readonly conflicts: readonly string[]
}

interface MergesContext extends BuildContext {
  readonly cacheKey: string
  readonly memo: Memo
}

const DEADLINE_MS = 120_000
/** Bytes of memory: two tree entries. */
const CHANGE_BYTES = 400

export type Merges = ReturnType<typeof createMerges>

export function createMerges(context: MergesContext) {
  return {
    /**
     * Three-way merge of two commits with renames from their own merge bases; moves no ref. A tree without conflicts is
     * stored in the repository, durably. Runs one process; use within `writing`.
     */
    mergeTrees: (ours: string, theirs: string): Promise<MergeResult> =>
      mergeByGit(context, { ours, theirs, keeps: true }),
    /**
     * The same, but leaves nothing behind: the tree is not stored. Runs a process only for what `trivialMerge` cannot
     * do.
     */
    tryMerge: (ours: string, theirs: string): Promise<MergeResult> => tryMerge(context, ours, theirs),
    /**
     * Every path in which the merge of `theirs` into `ours` differs from `ours`, whatever the number of merge bases;
     * undefined for conflicts and unrelated histories. Leaves nothing behind; use within `writing`. Runs at most two
     * processes.
     */
    changedFiles: (ours: string, theirs: string): Promise<readonly string[] | undefined> =>
      mergedFiles(context, ours, theirs),
    /**
     * Builds the commit of a merge durably, without moving a ref. Runs at most one process for a merge or a squash; for
     * a rebase one, and another for each commit that needs a merge of contents. Throws GitError `timeout` after a
     * minute. Use within `writing`, and move a ref immediately afterwards.
     */
    build: (plan: MergePlan): Promise<MergeOutcome> => buildMerge(context, plan),
    /** The same, but leaves nothing behind and reports the conflicting sections. The returned commit does not exist. */
    preview: (plan: MergePlan): Promise<MergeOutcome> => buildMerge(context, plan, { isPreview: true }),
  }
}

async function tryMerge(context: MergesContext, ours: string, theirs: string): Promise<MergeResult> {
  const [common, ...others] = await context.mergeBases(ours, theirs)
  const tree =
    common === undefined || others.length > 0
      ? undefined
      : await trivialMerge(trialSpace(context), await treesOf(context.objects, { common, base: ours, head: theirs }))
  if (tree !== undefined) return { tree, conflicts: [] }
  return mergeByGit(context, { ours, theirs, keeps: false })
}

const mergeByGit = (
  context: MergesContext,
  { ours, theirs, keeps }: { readonly ours: string; readonly theirs: string; readonly keeps: boolean },
): Promise<MergeResult> =>
  inMergeSpace(context, performance.now() + DEADLINE_MS, async (space) => {
    const { tree, conflicts } = await space.mergeCommits(ours, theirs)
    return { value: { tree, conflicts }, keep: keeps && conflicts.length === 0 }
  })

/** NOTE: its writer is never flushed. The changes of one side do not depend on the other side. */
function trialSpace({ format, cacheKey, objects, memo }: MergesContext): TreeSpace {
  const readTree: TreeSpace['readTree'] = (oid) => objects.tree(oid)
  const changes: typeof listChanges = async (read, before, after) => {
    const { list } = await memo.get<{ list: LeafChange[] | undefined }>(
      `${cacheKey}changes ${before} ${after}`,
      ({ list = [] }) => list.reduce((bytes, { path }) => bytes + path.length * 2 + CHANGE_BYTES, CHANGE_BYTES),
      async () => ({ list: await listChanges(read, before, after) }),
    )
    return list
  }
  return { writer: createObjectWriter({ directory: '', format, readTree }), readTree, changes }
}
