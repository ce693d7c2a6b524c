import type { SignedIn } from '../../../access/viewer.ts'
import type { Db } from '../../../db/database.ts'
import { branchRef } from '../../../git/index.ts'
import { loadBranchRules, pushRefusal, rulesOfRef } from '../../protections/index.ts'
import type { PullInView } from '../../pulls/index.ts'
import { findLender, findWriter, type Repo, type Writer } from '../../repos/index.ts'
import { loadMergeRights } from '../rules/load-merge-facts.ts'

interface Updating {
  readonly target: PullInView
  readonly head: Repo
  /** The head branch loses commits. */
  readonly isForced: boolean
}

/**
 * Whether the actor may push to the head branch of a pull request. Those who may merge have the poster's right too where
 * the poster lends it (behaviour/pull-requests#diff-commits-files-update).
 */
export async function mayUpdateHead(read: Db, actor: SignedIn, updating: Updating): Promise<boolean> {
  const { target, head } = updating
  const own = await findWriter(read, actor, head)
  if (own !== undefined && (await mayPush(read, own, updating))) return true
  if (!target.pull.allowsMaintainerEdit || !(await loadMergeRights(read, actor, target)).mayMerge) return false
  const lender = await findLender(read, actor, { base: target.repo, head, posterId: target.issue.posterId })
  return lender !== undefined && mayPush(read, lender, updating)
}

/** Whether the protection of the branch and the state of the repository allow it to one who writes the code. */
async function mayPush(read: Db, { viewer, access }: Writer, { target, head, isForced }: Updating): Promise<boolean> {
  const facts = {
    access,
    isArchived: head.isArchived,
    isMirror: head.isMirror,
    defaultBranch: head.defaultBranch,
    isDeployKey: false,
    takesProposals: false,
    branchRules: await loadBranchRules(read, head, viewer),
    tagRules: [],
  }
  const ref = branchRef(target.pull.headBranch)
  const pushed = { ref, kind: 'update', ...(await rulesOfRef(ref, facts)) } as const
  return pushRefusal(pushed, facts, { isForced, areAllUnprotected: false }) === undefined
}
