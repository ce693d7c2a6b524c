import type { GitRepo } from '../../../../core/git/index.ts'
import type { MergeCheck } from '../records/pull.store.ts'

export interface CheckedTree extends MergeCheck {
  /** What the merge leads to; undefined for conflicts and where there is nothing to merge. */
  readonly tree: string | undefined
}

interface Checked extends CheckedTree {
  /** The tip of the base for unrelated histories. */
  readonly mergeBase: string
}

/** More paths than a client shows; the row has a limit. */
const MAX_CONFLICTS = 100

/**
 * What a merge of the head into the base would do (behaviour/pull-requests#mergeability). The objects of both are in
 * the repository; call within `writing`. At most one git process; none when the base left the files alone that the head
 * changes.
 */
export async function checkMerge(git: GitRepo, baseOid: string, headOid: string): Promise<Checked> {
  const mergeBase = await git.history.mergeBase(baseOid, headOid)
  const checked = { baseOid, headOid, mergeBase: mergeBase ?? baseOid, conflicts: [], tree: undefined }
  if (mergeBase === undefined) return { ...checked, state: 'conflict' }
  if (mergeBase === headOid) return { ...checked, state: 'ancestor' }
  const [base, head] = await Promise.all([git.objects.commit(baseOid), git.objects.commit(headOid)])
  const { tree, conflicts } =
    mergeBase === baseOid ? { tree: head.tree, conflicts: [] } : await git.merges.tryMerge(baseOid, headOid)
  if (conflicts.length > 0) return { ...checked, state: 'conflict', conflicts: conflicts.slice(0, MAX_CONFLICTS) }
  return { ...checked, tree, state: tree === base.tree ? 'empty' : 'mergeable' }
}

/** The columns of a check. */
export const checkColumns = ({ state, baseOid, headOid, conflicts }: MergeCheck) => ({
  mergeability: state,
  checked_base_oid: baseOid,
  checked_head_oid: headOid,
  conflicts: conflicts.length === 0 ? '' : JSON.stringify(conflicts),
})
