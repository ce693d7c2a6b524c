import type { Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { asId, type QuotaGroupId, type QuotaRuleId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { type User, toUser } from '../users/user.store.ts'
import type { QuotaLimits, QuotaSubject } from './quota.policy.ts'
import type { QuotaRuleTable } from './quota.table.ts'

export interface QuotaRule extends QuotaLimits {
  readonly id: QuotaRuleId
  readonly name: string
}

export interface QuotaGroup {
  readonly id: QuotaGroupId
  readonly name: string
  /** The rules, ordered by name. */
  readonly rules: readonly QuotaRule[]
}

const toRule = (row: Selectable<QuotaRuleTable>): QuotaRule => ({
  id: asId(row.id),
  name: row.name,
  limit: row.size_limit,
  subjects: JSON.parse(row.subjects) as QuotaSubject[],
})

/** All rules, ordered by name. */
export async function listQuotaRules(db: Db): Promise<QuotaRule[]> {
  return (await db.selectFrom('quota_rule').selectAll().orderBy('name').execute()).map(toRule)
}

export async function findQuotaRule(db: Db, name: string): Promise<QuotaRule | undefined> {
  const row = await db.selectFrom('quota_rule').selectAll().where('name', '=', name).executeTakeFirst()
  return row && toRule(row)
}

export async function insertQuotaRule(tx: Tx, { name, limit, subjects }: Omit<QuotaRule, 'id'>): Promise<QuotaRuleId> {
  const values: Insertable<QuotaRuleTable> = { name, size_limit: limit, subjects: JSON.stringify(subjects) }
  return asId((await tx.insertInto('quota_rule').values(values).returning('id').executeTakeFirstOrThrow()).id)
}

export async function updateQuotaRule(tx: Tx, id: QuotaRuleId, { limit, subjects }: QuotaLimits): Promise<void> {
  await tx
    .updateTable('quota_rule')
    .set({ size_limit: limit, subjects: JSON.stringify(subjects) })
    .where('id', '=', id)
    .execute()
}

/** Deletes the rule, also from its groups. */
export async function deleteQuotaRule(tx: Tx, id: QuotaRuleId): Promise<void> {
  await tx.deleteFrom('quota_rule').where('id', '=', id).execute()
}

/** All groups, those of these names, or those of an owner. */
type QuotaGroupFilter = 'all' | { readonly names: readonly string[] } | { readonly ofUser: UserId }

/** Groups ordered by name, by two queries whatever their number. */
export async function listQuotaGroups(db: Db, filter: QuotaGroupFilter): Promise<QuotaGroup[]> {
  if (filter !== 'all' && 'names' in filter && filter.names.length === 0) return []
  let groups = db.selectFrom('quota_group').selectAll().orderBy('name')
  if (filter !== 'all' && 'names' in filter) groups = groups.where('name', 'in', [...filter.names])
  if (filter !== 'all' && 'ofUser' in filter)
    groups = groups.where(
      'id',
      'in',
      db.selectFrom('quota_group_user').select('group_id').where('user_id', '=', filter.ofUser),
    )
  const found = await groups.execute()
  if (found.length === 0) return []
  const rules = await db
    .selectFrom('quota_group_rule')
    .innerJoin('quota_rule', 'quota_rule.id', 'quota_group_rule.rule_id')
    .selectAll('quota_rule')
    .select('quota_group_rule.group_id')
    .where(
      'quota_group_rule.group_id',
      'in',
      found.map(({ id }) => id),
    )
    .orderBy('quota_rule.name')
    .execute()
  return found.map(({ id, name }) => ({
    id: asId(id),
    name,
    rules: rules.filter((rule) => rule.group_id === id).map(toRule),
  }))
}

export async function insertQuotaGroup(tx: Tx, name: string): Promise<QuotaGroupId> {
  return asId((await tx.insertInto('quota_group').values({ name }).returning('id').executeTakeFirstOrThrow()).id)
}

export async function deleteQuotaGroup(tx: Tx, id: QuotaGroupId): Promise<void> {
  await tx.deleteFrom('quota_group').where('id', '=', id).execute()
}

/** False when the group has the rule already. */
export async function insertQuotaGroupRule(tx: Tx, groupId: QuotaGroupId, ruleId: QuotaRuleId): Promise<boolean> {
  const done = await tx
    .insertInto('quota_group_rule')
    .values({ group_id: groupId, rule_id: ruleId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** False when the group does not have the rule. */
export async function deleteQuotaGroupRule(tx: Tx, groupId: QuotaGroupId, ruleId: QuotaRuleId): Promise<boolean> {
  const done = await tx
    .deleteFrom('quota_group_rule')
    .where('group_id', '=', groupId)
    .where('rule_id', '=', ruleId)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

/** The users of a group, ordered by name. */
export async function listQuotaGroupUsers(db: Db, groupId: QuotaGroupId): Promise<User[]> {
  const rows = await db
    .selectFrom('user')
    .selectAll()
    .where('id', 'in', (eb) => eb.selectFrom('quota_group_user').select('user_id').where('group_id', '=', groupId))
    .orderBy('lower_name')
    .execute()
  return rows.map(toUser)
}

/** False when the user is in the group already. */
export async function insertQuotaGroupUser(tx: Tx, groupId: QuotaGroupId, userId: UserId): Promise<boolean> {
  const done = await tx
    .insertInto('quota_group_user')
    .values({ group_id: groupId, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** False when the user is not in the group. */
export async function deleteQuotaGroupUser(tx: Tx, groupId: QuotaGroupId, userId: UserId): Promise<boolean> {
  const done = await tx
    .deleteFrom('quota_group_user')
    .where('group_id', '=', groupId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

/** Deletes a user from all groups. */
export async function deleteQuotaGroupsOf(tx: Tx, userId: UserId): Promise<void> {
  await tx.deleteFrom('quota_group_user').where('user_id', '=', userId).execute()
}
