import { AccessMode } from '../../../access/access-mode.ts'
import { unitMode } from '../../../access/repo-access.ts'
import { type SignedIn, viewerOfAccount } from '../../../access/viewer.ts'
import type { Db } from '../../../db/database.ts'
import { branchRef } from '../../../git/index.ts'
import { loadBranchRules, pushRefusal, rulesOfRef } from '../../protections/index.ts'
import type { PullInView } from '../../pulls/index.ts'
import { loadRepoAccess, type Repo } from '../../repos/index.ts'
import { findUserById } from '../../users/index.ts'
import { loadMergeRights } from '../rules/load-merge-facts.ts'

interface Updating {
  readonly target: PullInView
  readonly head: Repo
  /** The head branch loses commits. */
  readonly isForced: boolean
}

/**
 * Whether the actor may push to the head branch of a pull request. Where the poster lets maintainers edit, those who
 * may merge have the poster's right too (behaviour/pull-requests#diff-commits-files-update).
 */
export async function mayUpdateHead(read: Db, actor: SignedIn, updating: Updating): Promise<boolean> {
  const { target } = updating
  if (await mayPush(read, actor, updating)) return true
  if (!target.pull.allowsMaintainerEdit || !(await loadMergeRights(read, actor, target)).mayMerge) return false
  const poster = await findUserById(read, target.issue.posterId)
  return poster !== undefined && mayPush(read, viewerOfAccount(poster), updating)
}

async function mayPush(read: Db, pusher: SignedIn, { target, head, isForced }: Updating): Promise<boolean> {
  const access = await loadRepoAccess(read, pusher, head)
  if (unitMode(access, 'repo.code') < AccessMode.write) return false
  const facts = {
    access,
    isArchived: head.isArchived,
    isMirror: head.isMirror,
    defaultBranch: head.defaultBranch,
    isDeployKey: false,
    takesProposals: false,
    branchRules: await loadBranchRules(read, head, pusher),
    tagRules: [],
  }
  const ref = branchRef(target.pull.headBranch)
  const pushed = { ref, kind: 'update', ...(await rulesOfRef(ref, facts)) } as const
  return pushRefusal(pushed, facts, { isForced, areAllUnprotected: false }) === undefined
}
