import { AccessMode } from '../../access/access-mode.ts'
import { unitMode } from '../../access/repo-access.ts'
import { type Account, viewerOfAccount } from '../../access/viewer.ts'
import type { Db } from '../../db/database.ts'
import { loadRepoAccess, type Repo } from '../repos/index.ts'
import { isOfficial } from './branches/branch-rules.policy.ts'
import { loadBranchRules } from './facts.ts'

/**
 * Whether approvals and rejections of a user count for the protection of the base branch: the first rule that matches
 * it decides (behaviour/pull-requests#reviews).
 */
export async function isOfficialReviewer(db: Db, repo: Repo, baseBranch: string, account: Account): Promise<boolean> {
  const viewer = viewerOfAccount(account)
  const { listed, ruleOf } = await loadBranchRules(db, repo, viewer)
  const rule = await ruleOf(baseBranch)
  const canWrite = unitMode(await loadRepoAccess(db, viewer, repo), 'repo.code') >= AccessMode.write
  return isOfficial(rule, { canWrite, lists: (rule && listed.get(rule.id)) ?? new Set() })
}
