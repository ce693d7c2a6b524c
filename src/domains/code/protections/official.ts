import { AccessMode, unitMode } from '../../../core/access/repo-access.ts'
import { type Account, ANONYMOUS, viewerOfAccount } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { type Team, teamQueries } from '../../accounts/index.ts'
import { type Repo, accessQueries } from '../../repositories/index.ts'
import { isTeamListed } from './branches/branch-rule.store.ts'
import { isOfficial } from './branches/branch-rules.policy.ts'
import { loadBranchRules } from './facts.ts'

/**
 * Whether approvals and rejections of a user count for the protection of the base branch, according to the first
 * matching rule (behaviour/pull-requests#reviews). Suspended accounts and accounts that cannot read the pull requests
 * never count.
 */
export async function isOfficialReviewer(db: Db, repo: Repo, baseBranch: string, account: Account): Promise<boolean> {
  if (!account.isActive || account.isLoginProhibited) return false
  const viewer = viewerOfAccount(account)
  const { listed, ruleOf } = await loadBranchRules(db, repo, viewer)
  const rule = await ruleOf(baseBranch)
  const access = await accessQueries.load(db, viewer, repo)
  if (unitMode(access, 'repo.pulls') < AccessMode.read) return false
  const canWrite = unitMode(access, 'repo.code') >= AccessMode.write
  return isOfficial(rule, { canWrite, lists: (rule && listed.get(rule.id)) ?? new Set() })
}

/**
 * Whether a pending request to a team blocks a base branch that requires official reviews: a rule must protect the
 * branch, and either list the team for approvals or have no list while the team has write access to the code.
 */
export async function isOfficialTeam(db: Db, repo: Repo, baseBranch: string, team: Team): Promise<boolean> {
  const { ruleOf } = await loadBranchRules(db, repo, ANONYMOUS)
  const rule = await ruleOf(baseBranch)
  if (rule === undefined) return false
  const isListed = await isTeamListed(db, { ruleId: rule.id, list: 'approvals', teamId: team.id })
  const writes = team.mode >= AccessMode.admin || (team.units.get('repo.code') ?? AccessMode.none) >= AccessMode.write
  const canWrite = writes && (await teamQueries.hasRepo(db, team, repo))
  return isOfficial(rule, { canWrite, lists: new Set(isListed ? ['approvals'] : []) })
}
