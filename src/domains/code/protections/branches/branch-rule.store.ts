import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { cachedUntilCommit } from '../../../../core/db/read-cache.ts'
import type { RepoId, TeamId, UserId } from '../../../../core/platform/crypto/ids.ts'
import {
  type BranchRule,
  type BranchRuleFacts,
  branchRuleFacts,
  type BranchRuleSettings,
  findOwnRule,
  type RuleList,
} from './branch-rules.policy.ts'
import type { BranchRuleTable } from '../protection.table.ts'

/** A rule with its times in epoch milliseconds. */
export interface StoredBranchRule extends BranchRule {
  readonly createdAt: number
  readonly updatedAt: number
}

/** The names in the lists of one rule. */
export interface RuleNames {
  readonly users: Readonly<Record<RuleList, readonly string[]>>
  readonly teams: Readonly<Record<RuleList, readonly string[]>>
}

interface RepoOfOwner {
  readonly id: RepoId
  readonly ownerId: UserId
}

function toRule(row: Selectable<BranchRuleTable>): StoredBranchRule {
  const settings = JSON.parse(row.settings) as BranchRuleSettings
  return {
    ...settings,
    enableBypassAllowlist: settings.enableBypassAllowlist ?? false,
    id: row.id,
    name: row.name,
    priority: row.priority,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** Unordered. */
export async function listBranchRules(db: Db, repoId: RepoId): Promise<StoredBranchRule[]> {
  return (await db.selectFrom('branch_rule').selectAll().where('repo_id', '=', repoId).execute()).map(toRule)
}

/** The rules of a repository and the lists that contain the user, in one query. Ignores teams of former owners. */
export const loadBranchRuleFacts = (db: Db, repo: RepoOfOwner, userId: number): Promise<BranchRuleFacts> =>
  cachedUntilCommit(db, `branch rules ${repo.id} ${repo.ownerId} ${userId}`, () =>
    readBranchRuleFacts(db, repo, userId),
  )

async function readBranchRuleFacts(db: Db, repo: RepoOfOwner, userId: number): Promise<BranchRuleFacts> {
  const named = db
    .selectFrom('branch_rule_user')
    .select(['rule_id', 'list'])
    .where('user_id', '=', userId)
    .union(
      db
        .selectFrom('branch_rule_team')
        .innerJoin('team_member', 'team_member.team_id', 'branch_rule_team.team_id')
        .select(['branch_rule_team.rule_id', 'branch_rule_team.list'])
        .where('team_member.user_id', '=', userId)
        .where('team_member.org_id', '=', repo.ownerId),
    )
    .as('named')
  const rows = await db
    .selectFrom('branch_rule')
    .leftJoin(named, (join) => join.onRef('named.rule_id', '=', 'branch_rule.id'))
    .selectAll('branch_rule')
    .select('named.list')
    .where('branch_rule.repo_id', '=', repo.id)
    .execute()
  const rules = new Map<number, BranchRule>()
  const listed = new Map<number, Set<RuleList>>()
  for (const row of rows) {
    if (!rules.has(row.id)) rules.set(row.id, toRule(row))
    if (row.list !== null) listed.set(row.id, (listed.get(row.id) ?? new Set()).add(row.list))
  }
  return branchRuleFacts([...rules.values()], listed)
}

interface ListedTeam {
  readonly ruleId: number
  readonly list: RuleList
  readonly teamId: TeamId
}

export async function isTeamListed(db: Db, { ruleId, list, teamId }: ListedTeam): Promise<boolean> {
  const row = await db
    .selectFrom('branch_rule_team')
    .select('rule_id')
    .where('rule_id', '=', ruleId)
    .where('list', '=', list)
    .where('team_id', '=', teamId)
    .executeTakeFirst()
  return row !== undefined
}

export async function findBranchRule(db: Db, repoId: RepoId, name: string): Promise<StoredBranchRule | undefined> {
  const row = await db
    .selectFrom('branch_rule')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('name', '=', name)
    .executeTakeFirst()
  return row && toRule(row)
}

/** The names in the lists of the rules, sorted. Two queries for any number of rules. */
export async function loadRuleNames(
  db: Db,
  repo: RepoOfOwner,
  ruleIds: readonly number[],
): Promise<Map<number, RuleNames>> {
  const found = new Map<number, { users: Record<RuleList, string[]>; teams: Record<RuleList, string[]> }>()
  for (const id of ruleIds)
    found.set(id, {
      users: { push: [], force: [], merge: [], approvals: [], bypass: [] },
      teams: { push: [], force: [], merge: [], approvals: [], bypass: [] },
    })
  if (ruleIds.length === 0) return found
  const users = db
    .selectFrom('branch_rule_user')
    .innerJoin('user', 'user.id', 'branch_rule_user.user_id')
    .select(['rule_id', 'list', 'user.name'])
  for (const row of await users.where('rule_id', 'in', ruleIds).orderBy('user.lower_name').execute())
    found.get(row.rule_id)!.users[row.list].push(row.name)
  const teams = db
    .selectFrom('branch_rule_team')
    .innerJoin('team', 'team.id', 'branch_rule_team.team_id')
    .select(['rule_id', 'list', 'team.name'])
  const ofOwner = teams.where('rule_id', 'in', ruleIds).where('team.org_id', '=', repo.ownerId)
  for (const row of await ofOwner.orderBy('team.lower_name').execute())
    found.get(row.rule_id)!.teams[row.list].push(row.name)
  return found
}

export async function insertBranchRule(
  tx: Tx,
  repoId: RepoId,
  name: string,
  values: { priority: number; settings: BranchRuleSettings; at: number },
): Promise<number> {
  const { priority, settings, at } = values
  const row = { repo_id: repoId, name, priority, settings: JSON.stringify(settings), created_at: at, updated_at: at }
  return (await tx.insertInto('branch_rule').values(row).returning('id').executeTakeFirstOrThrow()).id
}

/** Copies the rules of a repository to another one, without their lists of users and teams. */
export async function copyBranchRules(tx: Tx, from: RepoId, to: RepoId, at: number): Promise<void> {
  const rules = await tx
    .selectFrom('branch_rule')
    .select(['name', 'priority', 'settings'])
    .where('repo_id', '=', from)
    .orderBy('id')
    .execute()
  if (rules.length > 0)
    await tx
      .insertInto('branch_rule')
      .values(rules.map((rule) => ({ ...rule, repo_id: to, created_at: at, updated_at: at })))
      .execute()
}

export async function countBranchRules(db: Db, repoId: RepoId): Promise<number> {
  const { count } = await db
    .selectFrom('branch_rule')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('repo_id', '=', repoId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function maxBranchRulePriority(db: Db, repoId: RepoId): Promise<number> {
  const { max } = await db
    .selectFrom('branch_rule')
    .select((eb) => eb.fn.max('priority').as('max'))
    .where('repo_id', '=', repoId)
    .executeTakeFirstOrThrow()
  return Number(max ?? 0)
}

export async function updateBranchRule(
  tx: Tx,
  id: number,
  values: { priority: number; settings: BranchRuleSettings; at: number },
): Promise<void> {
  const row = { priority: values.priority, settings: JSON.stringify(values.settings), updated_at: values.at }
  await tx.updateTable('branch_rule').set(row).where('id', '=', id).execute()
}

/** Does nothing if the rule belongs to another repository. */
export async function updateBranchRulePriority(tx: Tx, repoId: RepoId, id: number, priority: number): Promise<void> {
  await tx.updateTable('branch_rule').set({ priority }).where('repo_id', '=', repoId).where('id', '=', id).execute()
}

/** Renames the rule with the old name of a branch, unless another rule has the new name already. */
export async function renameBranchRule(tx: Tx, repoId: RepoId, from: string, to: string): Promise<void> {
  const rules = await listBranchRules(tx, repoId)
  const own = findOwnRule(rules, from)
  const others = rules.filter((rule) => rule !== own)
  if (own === undefined || findOwnRule(others, to) !== undefined) return
  await tx.updateTable('branch_rule').set({ name: to }).where('id', '=', own.id).execute()
}

export async function deleteBranchRule(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('branch_rule').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function replaceRuleUsers(
  tx: Tx,
  ruleId: number,
  list: RuleList,
  userIds: readonly number[],
): Promise<void> {
  await tx.deleteFrom('branch_rule_user').where('rule_id', '=', ruleId).where('list', '=', list).execute()
  if (userIds.length === 0) return
  await tx
    .insertInto('branch_rule_user')
    .values([...new Set(userIds)].map((id) => ({ rule_id: ruleId, list, user_id: id })))
    .execute()
}

export async function replaceRuleTeams(
  tx: Tx,
  ruleId: number,
  list: RuleList,
  teamIds: readonly number[],
): Promise<void> {
  await tx.deleteFrom('branch_rule_team').where('rule_id', '=', ruleId).where('list', '=', list).execute()
  if (teamIds.length === 0) return
  await tx
    .insertInto('branch_rule_team')
    .values([...new Set(teamIds)].map((id) => ({ rule_id: ruleId, list, team_id: id })))
    .execute()
}
