import { type Expression, sql } from 'kysely'
import type { Tx } from '../../../../core/db/database.ts'
import { deleteInSteps } from '../../../../core/db/delete-in-steps.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'

/** Subtracts the follows of an account, in both directions, from the counters of the other accounts. */
export async function subtractFollowsOf(tx: Tx, id: UserId): Promise<void> {
  await tx
    .updateTable('user')
    .set((eb) => ({ followers_count: eb('followers_count', '-', 1) }))
    .where('id', 'in', (eb) => eb.selectFrom('follow').select('followed_id').where('user_id', '=', id))
    .execute()
  await tx
    .updateTable('user')
    .set((eb) => ({ following_count: eb('following_count', '-', 1) }))
    .where('id', 'in', (eb) => eb.selectFrom('follow').select('user_id').where('followed_id', '=', id))
    .execute()
}

/**
 * Subtracts stars that are about to be deleted from the counters of the users who gave them. `stars` is a query with one
 * row for each star.
 */
export async function subtractStars(tx: Tx, stars: Expression<{ user_id: number }>): Promise<void> {
  await sql`update "user" set stars_count = stars_count - (select count(*) from (${stars}) as deleted where deleted.user_id = "user".id)
    where id in (select user_id from (${stars}) as deleted)`.execute(tx)
}

/** Deletes the row of an individual or organization; foreign keys delete the rows that refer to it. */
export async function deleteUser(tx: Tx, id: UserId): Promise<void> {
  await deleteInSteps(tx, 'user', [id])
}
