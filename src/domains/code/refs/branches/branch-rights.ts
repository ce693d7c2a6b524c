import { AccessMode, isRepoAdmin, unitMode } from '../../../../core/access/repo-access.ts'
import { isSignedIn, type Viewer } from '../../../../core/access/viewer.ts'
import type { Database } from '../../../../core/db/database.ts'
import { type BranchRule, canMerge, canPush } from '../../protections/branches/branch-rules.policy.ts'
import { loadBranchRules } from '../../protections/facts.ts'
import { rightsFor } from '../../protections/push-rules.policy.ts'
import type { RepoInView } from '../../../repositories/index.ts'

/** The permissions of the viewer on a branch, and the rule that they come from. */
export interface BranchRights {
  readonly canPush: boolean
  readonly canMerge: boolean
  /** The rule that applies to the branch. */
  readonly rule: BranchRule | undefined
  /** Whether the viewer may read the rules and therefore see the name of this one. */
  readonly seesRules: boolean
}

/** Loads the rules in one query; the result covers all branches. */
export async function loadBranchRights(
  { read }: Database,
  viewer: Viewer,
  { repo, access }: RepoInView,
): Promise<(branch: string) => Promise<BranchRights>> {
  const branchRules = await loadBranchRules(read, repo, viewer)
  const isDeployKey = viewer.kind === 'user' && viewer.deployKeyId !== undefined
  const canWrite = isSignedIn(viewer) && unitMode(access, 'repo.code') >= AccessMode.write
  const seesRules = isRepoAdmin(access)
  return async (branch) => {
    const rule = await branchRules.ruleOf(branch)
    if (rule === undefined) return { canPush: canWrite, canMerge: canWrite, rule, seesRules }
    const rights = rightsFor(rule, { access, isDeployKey, branchRules })
    return { canPush: canPush(rule, rights), canMerge: isSignedIn(viewer) && canMerge(rule, rights), rule, seesRules }
  }
}
