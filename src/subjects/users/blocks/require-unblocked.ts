import { type Db, isTx } from '../../../db/database.ts'
import { forbidden } from '../../../platform/errors.ts'
import type { UserId } from '../../../platform/ids.ts'
import { listBlockers } from './block.store.ts'
import { lockUsers } from '../user.store.ts'

const refusal = () => forbidden('user is blocked')

/**
 * The acting user must not be blocked by any of these accounts: the owner of the repository, the poster of the issue,
 * the recipient of a transfer, the assignee. Site administrators never are. Throws Forbidden
 * (behaviour/base-interface#states-and-transitions, behaviour/users-and-admin#blocking). Within a transaction the row
 * of the user is locked: it waits for a block that is under way, and a later block sees and ends what the transaction
 * makes.
 */
export async function requireUnblocked(db: Db, userId: UserId, by: readonly UserId[]): Promise<void> {
  if (isTx(db)) await lockUsers(db, [userId])
  await refuseBlocked(db, userId, by)
}

/** Neither of the two may block the other: following, collaborations. Throws Forbidden; locks as requireUnblocked. */
export async function requireNoBlockBetween(db: Db, a: UserId, b: UserId): Promise<void> {
  if (isTx(db)) await lockUsers(db, [a, b])
  await refuseBlocked(db, a, [b])
  await refuseBlocked(db, b, [a])
}

async function refuseBlocked(db: Db, userId: UserId, by: readonly UserId[]): Promise<void> {
  if ((await listBlockers(db, userId, by)).length > 0) throw refusal()
}
