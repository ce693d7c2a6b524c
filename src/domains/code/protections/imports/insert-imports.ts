import type { Tx } from '../../../../core/db/database.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import type { RuleList } from '../branches/branch-rules.policy.ts'
import {
  countBranchRules,
  findBranchRule,
  insertBranchRule,
  maxBranchRulePriority,
  replaceRuleUsers,
} from '../branches/branch-rule.store.ts'
import { MAX_RULES } from '../protections.policy.ts'
import { countTagRules, insertTagRule, listTagRules, replaceTagRuleUsers } from '../tags/tag-rule.store.ts'
import type { ClaimedBranchRule, ClaimedTagRule } from './read-imports.ts'

/** Why a rule was not inserted. */
export type RuleProblem = 'another rule has its name' | 'a repository has no more rules'

/** A rule of an import, with the accounts here that its lists name; causes no event. Undefined if it was inserted. */
export async function insertImportedBranchRule(
  tx: Tx,
  repoId: RepoId,
  rule: ClaimedBranchRule,
  { users, at }: { readonly users: ReadonlyMap<RuleList, readonly UserId[]>; readonly at: number },
): Promise<RuleProblem | undefined> {
  if ((await countBranchRules(tx, repoId)) >= MAX_RULES) return 'a repository has no more rules'
  if ((await findBranchRule(tx, repoId, rule.name)) !== undefined) return 'another rule has its name'
  const priority = rule.priority > 0 ? rule.priority : (await maxBranchRulePriority(tx, repoId)) + 1
  const id = await insertBranchRule(tx, repoId, rule.name, { priority, settings: rule.settings, at })
  for (const [list, userIds] of users) await replaceRuleUsers(tx, id, list, userIds)
  return undefined
}

/** Like `insertImportedBranchRule`, for a rule of tags. */
export async function insertImportedTagRule(
  tx: Tx,
  repoId: RepoId,
  { pattern }: ClaimedTagRule,
  { users, at }: { readonly users: readonly UserId[]; readonly at: number },
): Promise<RuleProblem | undefined> {
  if ((await countTagRules(tx, repoId)) >= MAX_RULES) return 'a repository has no more rules'
  if ((await listTagRules(tx, repoId)).some((rule) => rule.pattern === pattern)) return 'another rule has its name'
  await replaceTagRuleUsers(tx, await insertTagRule(tx, repoId, pattern, at), users)
  return undefined
}
