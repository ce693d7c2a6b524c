import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import type { TagRuleTable } from '../protection.table.ts'

/** Times are epoch milliseconds. */
export interface StoredTagRule {
  readonly id: number
  readonly pattern: string
  readonly createdAt: number
  readonly updatedAt: number
}

interface RepoOfOwner {
  readonly id: RepoId
  readonly ownerId: UserId
}

const toRule = (row: Selectable<TagRuleTable>): StoredTagRule => ({
  id: row.id,
  pattern: row.pattern,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Sorted by id. */
export async function listTagRules(db: Db, repoId: RepoId): Promise<StoredTagRule[]> {
  return (await db.selectFrom('tag_rule').selectAll().where('repo_id', '=', repoId).orderBy('id').execute()).map(toRule)
}

export async function countTagRules(db: Db, repoId: RepoId): Promise<number> {
  const { count } = await db
    .selectFrom('tag_rule')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('repo_id', '=', repoId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function findTagRule(db: Db, repoId: RepoId, id: number): Promise<StoredTagRule | undefined> {
  const row = await db
    .selectFrom('tag_rule')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toRule(row)
}

/**
 * The patterns of a repository and whether their lists contain the user, in one query. Ignores teams of former owners.
 */
export async function loadTagRuleFacts(
  db: Db,
  repo: RepoOfOwner,
  userId: number,
): Promise<{ pattern: string; isListed: boolean }[]> {
  const rows = await db
    .selectFrom('tag_rule')
    .select((eb) => [
      'pattern',
      eb
        .or([
          eb.exists(
            eb
              .selectFrom('tag_rule_user')
              .select('tag_rule_user.rule_id')
              .whereRef('tag_rule_user.rule_id', '=', 'tag_rule.id')
              .where('tag_rule_user.user_id', '=', userId),
          ),
          eb.exists(
            eb
              .selectFrom('tag_rule_team')
              .innerJoin('team_member', 'team_member.team_id', 'tag_rule_team.team_id')
              .select('tag_rule_team.rule_id')
              .whereRef('tag_rule_team.rule_id', '=', 'tag_rule.id')
              .where('team_member.user_id', '=', userId)
              .where('team_member.org_id', '=', repo.ownerId),
          ),
        ])
        .as('is_listed'),
    ])
    .where('repo_id', '=', repo.id)
    .execute()
  return rows.map((row) => ({ pattern: row.pattern, isListed: Boolean(row.is_listed) }))
}

/** The names in the lists of the rules, sorted. Two queries for any number of rules. */
export async function loadTagRuleNames(
  db: Db,
  repo: RepoOfOwner,
  ruleIds: readonly number[],
): Promise<Map<number, { users: string[]; teams: string[] }>> {
  const found = new Map(ruleIds.map((id) => [id, { users: [] as string[], teams: [] as string[] }]))
  if (ruleIds.length === 0) return found
  const users = db
    .selectFrom('tag_rule_user')
    .innerJoin('user', 'user.id', 'tag_rule_user.user_id')
    .select(['rule_id', 'user.name'])
  for (const row of await users.where('rule_id', 'in', ruleIds).orderBy('user.lower_name').execute())
    found.get(row.rule_id)!.users.push(row.name)
  const teams = db
    .selectFrom('tag_rule_team')
    .innerJoin('team', 'team.id', 'tag_rule_team.team_id')
    .select(['rule_id', 'team.name'])
  const ofOwner = teams.where('rule_id', 'in', ruleIds).where('team.org_id', '=', repo.ownerId)
  for (const row of await ofOwner.orderBy('team.lower_name').execute()) found.get(row.rule_id)!.teams.push(row.name)
  return found
}

export async function insertTagRule(tx: Tx, repoId: RepoId, pattern: string, at: number): Promise<number> {
  const row = { repo_id: repoId, pattern, created_at: at, updated_at: at }
  return (await tx.insertInto('tag_rule').values(row).returning('id').executeTakeFirstOrThrow()).id
}

export async function updateTagRule(tx: Tx, id: number, pattern: string, at: number): Promise<void> {
  await tx.updateTable('tag_rule').set({ pattern, updated_at: at }).where('id', '=', id).execute()
}

export async function deleteTagRule(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('tag_rule').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function replaceTagRuleUsers(tx: Tx, ruleId: number, userIds: readonly number[]): Promise<void> {
  await tx.deleteFrom('tag_rule_user').where('rule_id', '=', ruleId).execute()
  if (userIds.length > 0)
    await tx
      .insertInto('tag_rule_user')
      .values([...new Set(userIds)].map((id) => ({ rule_id: ruleId, user_id: id })))
      .execute()
}

export async function replaceTagRuleTeams(tx: Tx, ruleId: number, teamIds: readonly number[]): Promise<void> {
  await tx.deleteFrom('tag_rule_team').where('rule_id', '=', ruleId).execute()
  if (teamIds.length > 0)
    await tx
      .insertInto('tag_rule_team')
      .values([...new Set(teamIds)].map((id) => ({ rule_id: ruleId, team_id: id })))
      .execute()
}
