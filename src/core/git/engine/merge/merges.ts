import type { Memo } from '../memo.ts'
import { createObjectWriter } from '../write/tree-edit.ts'
import { mergeUntouched } from './apply-commit.ts'
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
  /** The id of the merged tree; with conflicts, of one with conflict markers. */
  readonly tree: string
  /** Paths that could not be merged; none for a clean merge. */
  readonly conflicts: readonly string[]
}

interface MergesContext extends BuildContext {
  readonly cacheKey: string
  readonly memo: Memo
}

const DEADLINE_MS = 120_000
/** In memory: two entries of a tree. */
const CHANGE_BYTES = 400

export type Merges = ReturnType<typeof createMerges>

export function createMerges(context: MergesContext) {
  return {
    /**
     * Three-way merge of two commits with renames, from their own merge bases; touches no ref. A tree without conflicts
     * is in the repository, durably. One process; use within `writing`.
     */
    mergeTrees: (ours: string, theirs: string): Promise<MergeResult> =>
      mergeByGit(context, { ours, theirs, keeps: true }),
    /**
     * The same, leaving nothing behind: the tree is not in the repository. A process only for what `mergeUntouched`
     * leaves to git.
     */
    tryMerge: (ours: string, theirs: string): Promise<MergeResult> => tryMerge(context, ours, theirs),
    /**
     * Every path in which the merge of `theirs` into `ours` differs from `ours`, whatever the number of their merge bases;
     * undefined for conflicts and for unrelated histories. Leaves nothing behind; use within `writing`. At most two
     * processes.
     */
    changedFiles: (ours: string, theirs: string): Promise<readonly string[] | undefined> =>
      mergedFiles(context, ours, theirs),
    /**
     * Builds the commit that a merge leads to, durably; moves no ref. Takes at most one process for a merge or a squash;
     * for a rebase one, and another for each commit that needs a merge of contents. GitError `timeout` after a minute.
     * Use within `writing`, and move a ref right after.
     */
    build: (plan: MergePlan): Promise<MergeOutcome> => buildMerge(context, plan),
    /** The same, leaving nothing behind, and with the places that conflict. The commit of its answer does not exist. */
    preview: (plan: MergePlan): Promise<MergeOutcome> => buildMerge(context, plan, { isPreview: true }),
  }
}

async function tryMerge(context: MergesContext, ours: string, theirs: string): Promise<MergeResult> {
  const [common, ...others] = await context.mergeBases(ours, theirs)
  const tree =
    common === undefined || others.length > 0
      ? undefined
      : await mergeUntouched(trialSpace(context), await treesOf(context.objects, { common, base: ours, head: theirs }))
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

/** NOTE: its writer is never flushed. The changes of one side are the same whatever the other is by now. */
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
