import { type Db, isTx } from '../../../../core/db/database.ts'
import { errors } from '../../../errors.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { listBlockers } from './block.store.ts'
import { lockUsers } from '../user.store.ts'

const refusal = () => errors.userBlocked()

/**
 * Throws Forbidden when one of the accounts in `by` blocks the acting user: the owner of the repository, the author of
 * the issue, the recipient of a transfer, the assignee. Blocks do not affect site administrators
 * (behaviour/base-interface#states-and-transitions, behaviour/users-and-admin#blocking). In a transaction it locks the
 * row of the user: a concurrent block is either committed before the check, or sees and deletes the rows that the
 * transaction inserts. Accounts cannot block themselves.
 */
export async function requireUnblocked(db: Db, userId: UserId, by: readonly UserId[]): Promise<void> {
  const others = by.filter((id) => id !== userId)
  if (others.length === 0) return
  if (isTx(db)) await lockUsers(db, [userId])
  await requireNoBlocker(db, userId, others)
}

/**
 * Throws Forbidden when one of the two blocks the other: for follows and collaborations. Locks like `requireUnblocked`.
 */
export async function requireNoBlockBetween(db: Db, a: UserId, b: UserId): Promise<void> {
  if (isTx(db)) await lockUsers(db, [a, b])
  await requireNoBlocker(db, a, [b])
  await requireNoBlocker(db, b, [a])
}

async function requireNoBlocker(db: Db, userId: UserId, by: readonly UserId[]): Promise<void> {
  if ((await listBlockers(db, userId, by)).length > 0) throw refusal()
}
