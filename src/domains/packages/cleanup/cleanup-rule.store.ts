import type { Insertable, Selectable } from 'kysely'
import { formatRestriction, parseRestriction, type CredentialRestriction } from '../../../core/access/authorize.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import { selectPage } from '../../../core/db/page.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { PackageCleanupRuleTable } from './cleanup-rule.table.ts'

/** The settings of a rule. */
export interface CleanupLimits {
  readonly isEnabled: boolean
  /** 0 for none. */
  readonly keepCount: number
  /** Empty for none. */
  readonly keepPattern: string
  /** 0 for any age. */
  readonly removeDays: number
  /** Empty for all versions. */
  readonly removePattern: string
  readonly matchesFullName: boolean
}

export interface CleanupRule extends CleanupLimits {
  readonly id: number
  readonly ownerId: UserId
  readonly type: string
  readonly authorId: UserId
  readonly restriction: CredentialRestriction | undefined
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

const toRule = (row: Selectable<PackageCleanupRuleTable>): CleanupRule => ({
  id: row.id,
  ownerId: asId(row.owner_id),
  type: row.type,
  isEnabled: row.is_enabled === 1,
  keepCount: row.keep_count,
  keepPattern: row.keep_pattern,
  removeDays: row.remove_days,
  removePattern: row.remove_pattern,
  matchesFullName: row.matches_full_name === 1,
  authorId: asId(row.author_id),
  restriction: parseRestriction(row.restriction),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Rules ordered by type. */
export const listRules = (db: Db, ownerId: UserId, paging: Paging): Promise<Page<CleanupRule>> =>
  selectPage(
    db.selectFrom('package_cleanup_rule').selectAll().where('owner_id', '=', ownerId).orderBy('type'),
    paging,
    toRule,
  )

export async function findRule(db: Db, ownerId: UserId, type: string): Promise<CleanupRule | undefined> {
  const row = await db
    .selectFrom('package_cleanup_rule')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .executeTakeFirst()
  return row && toRule(row)
}

export async function findRuleById(db: Db, id: number): Promise<CleanupRule | undefined> {
  const row = await db.selectFrom('package_cleanup_rule').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRule(row)
}

/** The ids of enabled rules after an id, at most 1000. */
export const listEnabledRuleIds = async (db: Db, after: number): Promise<number[]> =>
  (
    await db
      .selectFrom('package_cleanup_rule')
      .select('id')
      .where('id', '>', after)
      .where('is_enabled', '=', 1)
      .orderBy('id')
      .limit(1000)
      .execute()
  ).map(({ id }) => id)

interface SavedRule extends CleanupLimits {
  readonly ownerId: UserId
  readonly type: string
  readonly authorId: UserId
  readonly restriction: CredentialRestriction | undefined
  /** Epoch milliseconds. */
  readonly at: number
}

/** Inserts the rule of a type, or replaces it. */
export async function saveRule(tx: Tx, rule: SavedRule): Promise<CleanupRule> {
  const values: Insertable<PackageCleanupRuleTable> = {
    owner_id: rule.ownerId,
    type: rule.type,
    is_enabled: flag(rule.isEnabled),
    keep_count: rule.keepCount,
    keep_pattern: rule.keepPattern,
    remove_days: rule.removeDays,
    remove_pattern: rule.removePattern,
    matches_full_name: flag(rule.matchesFullName),
    author_id: rule.authorId,
    restriction: formatRestriction(rule.restriction),
    created_at: rule.at,
    updated_at: rule.at,
  }
  const { owner_id: _owner, type: _type, created_at: _created, ...changed } = values
  const row = await tx
    .insertInto('package_cleanup_rule')
    .values(values)
    .onConflict((on) => on.columns(['owner_id', 'type']).doUpdateSet(changed))
    .returningAll()
    .executeTakeFirstOrThrow()
  return toRule(row)
}

/** False if there was none. */
export async function deleteRule(tx: Tx, ownerId: UserId, type: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('package_cleanup_rule')
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
