import type { Db, Tx } from '../../db/database.ts'
import { asId, type RepoId, type UserId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import { deleteStar } from '../social/star.store.ts'
import { deleteWatches } from '../social/watch-cleanup.store.ts'
import { deleteFollow } from './follow.store.ts'
import { toUser, type User } from './user.store.ts'

export interface Block {
  readonly user: User
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** In the order in which they were blocked. */
export async function listBlocks(db: Db, blockerId: UserId, paging: Paging): Promise<Page<Block>> {
  const blocks = db.selectFrom('user_block').where('user_block.blocker_id', '=', blockerId)
  const rows = await blocks
    .innerJoin('user', 'user.id', 'user_block.blocked_id')
    .selectAll('user')
    .select('user_block.created_at as blocked_at')
    .orderBy('user_block.created_at')
    .orderBy('user.id')
    .limit(paging.limit)
    .offset(paging.offset)
    .execute()
  const { total } = await blocks.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { items: rows.map((row) => ({ user: toUser(row), createdAt: row.blocked_at })), total }
}

/** Whether the pair is stored, be the blocked one an administrator or not. */
export async function hasBlock(db: Db, blockerId: UserId, blockedId: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('user_block')
    .select('blocked_id')
    .where('blocker_id', '=', blockerId)
    .where('blocked_id', '=', blockedId)
    .executeTakeFirst()
  return row !== undefined
}

/** Those among the accounts whose block of the user counts: site administrators are beyond blocks. */
export async function listBlockers(db: Db, blockedId: UserId, among: readonly UserId[]): Promise<UserId[]> {
  if (among.length === 0) return []
  const rows = await db
    .selectFrom('user_block')
    .innerJoin('user', 'user.id', 'user_block.blocked_id')
    .select('user_block.blocker_id')
    .where('user_block.blocked_id', '=', blockedId)
    .where('user_block.blocker_id', 'in', [...new Set(among)])
    .where('user.is_admin', '=', 0)
    .execute()
  return rows.map((row) => asId(row.blocker_id))
}

/** False, and nothing changes, when the pair is there. */
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

/** False when there was none. */
export async function deleteBlock(tx: Tx, blockerId: UserId, blockedId: UserId): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('user_block')
    .where('blocker_id', '=', blockerId)
    .where('blocked_id', '=', blockedId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** One account stops following, starring and watching what the other one has; counters move along. */
export async function leaveAlone(tx: Tx, userId: UserId, ownerId: UserId): Promise<void> {
  await deleteFollow(tx, userId, ownerId)
  const starred = await tx
    .selectFrom('star')
    .innerJoin('repo', 'repo.id', 'star.repo_id')
    .select('repo.id')
    .where('star.user_id', '=', userId)
    .where('repo.owner_id', '=', ownerId)
    .orderBy('repo.id')
    .execute()
  for (const { id } of starred) await deleteStar(tx, userId, asId(id))
  const watched = await tx
    .selectFrom('watch')
    .innerJoin('repo', 'repo.id', 'watch.repo_id')
    .select('repo.id')
    .where('watch.user_id', '=', userId)
    .where('repo.owner_id', '=', ownerId)
    .orderBy('repo.id')
    .execute()
  await deleteWatches(
    tx,
    userId,
    watched.map((row) => asId<RepoId>(row.id)),
  )
}

/** Ends the collaborations of a user on the repositories of an owner; says which they were. */
export async function deleteCollaborationsWith(tx: Tx, userId: UserId, ownerId: UserId): Promise<RepoId[]> {
  const owned = tx.selectFrom('repo').select('id').where('owner_id', '=', ownerId)
  const rows = await tx
    .deleteFrom('collaboration')
    .where('user_id', '=', userId)
    .where('repo_id', 'in', owned)
    .returning('repo_id')
    .execute()
  return rows.map((row) => asId(row.repo_id))
}

/** Pending transfers that one of the two began or whose repository it owns, and that wait for the other. */
export async function deleteTransfersBetween(tx: Tx, a: UserId, b: UserId): Promise<void> {
  for (const [giver, recipient] of [
    [a, b],
    [b, a],
  ] as const) {
    const owned = tx.selectFrom('repo').select('id').where('owner_id', '=', giver)
    await tx
      .deleteFrom('repo_transfer')
      .where('recipient_id', '=', recipient)
      .where((eb) => eb.or([eb('doer_id', '=', giver), eb('repo_id', 'in', owned)]))
      .execute()
  }
}
