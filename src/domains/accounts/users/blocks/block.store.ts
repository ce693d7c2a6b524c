import type { Db, Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { countRows, selectPage } from '../../../../core/db/page.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { toUser, type User, type UserRow } from '../user.store.ts'

export interface Block {
  readonly user: User
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Oldest block first. */
export async function listBlocks(db: Db, blockerId: UserId, paging: Paging): Promise<Page<Block>> {
  const blocks = db.selectFrom('user_block').where('user_block.blocker_id', '=', blockerId)
  const query = blocks
    .innerJoin('user', 'user.id', 'user_block.blocked_id')
    .selectAll('user')
    .select('user_block.created_at as blocked_at')
    .orderBy('user_block.created_at')
    .orderBy('user.id')
  const toBlock = (row: UserRow & { blocked_at: number }): Block => ({ user: toUser(row), createdAt: row.blocked_at })
  return selectPage(query, paging, toBlock, () => countRows(blocks))
}

/** Whether the row exists; includes rows for site administrators, whom blocks do not affect. */
export async function hasBlock(db: Db, blockerId: UserId, blockedId: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('user_block')
    .select('blocked_id')
    .where('blocker_id', '=', blockerId)
    .where('blocked_id', '=', blockedId)
    .executeTakeFirst()
  return row !== undefined
}

/** The accounts in `among` that block the user; empty when the user is a site administrator. Nobody blocks themselves. */
export async function listBlockers(db: Db, blockedId: UserId, among: readonly UserId[]): Promise<UserId[]> {
  const others = new Set(among).difference(new Set([blockedId]))
  if (others.size === 0) return []
  const rows = await blockers(db, { blockedId, among: [...others] })
  return rows.map((row) => asId(row.blocker_id))
}

const blockers = defineQuery((db, { blockedId, among }: { blockedId: UserId; among: readonly UserId[] }) =>
  db
    .selectFrom('user_block')
    .innerJoin('user', 'user.id', 'user_block.blocked_id')
    .select('user_block.blocker_id')
    .where('user_block.blocked_id', '=', blockedId)
    .where('user_block.blocker_id', 'in', among)
    .where('user.is_admin', '=', 0),
)

/** Returns false without a change when the row already exists. */
export async function insertBlock(
  tx: Tx,
  values: { blockerId: UserId; blockedId: UserId; note: string; at: number },
): Promise<boolean> {
  const row = await tx
    .insertInto('user_block')
    .values({ blocker_id: values.blockerId, blocked_id: values.blockedId, note: values.note, created_at: values.at })
    .onConflict((conflict) => conflict.columns(['blocker_id', 'blocked_id']).doNothing())
    .returning('blocked_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns false when the row does not exist. */
export async function deleteBlock(tx: Tx, blockerId: UserId, blockedId: UserId): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('user_block')
    .where('blocker_id', '=', blockerId)
    .where('blocked_id', '=', blockedId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
