import { sql } from 'kysely'
import { dialectOf, type Tx } from '../../db/database.ts'

/** Columns of users that repeat what could be counted, with how it is counted for the row called `counted`. */
export const userCounters = {
  followers_count: sql`select count(*) from follow where followed_id = counted.id`,
  following_count: sql`select count(*) from follow where user_id = counted.id`,
  stars_count: sql`select count(*) from star where user_id = counted.id`,
}

/** Counts anew for these users. */
export async function recountUsers(tx: Tx, column: keyof typeof userCounters, ids: readonly number[]): Promise<void> {
  // NOTE: transactions that change such a row now are over by then: the next statement sees what they wrote.
  await dialectOf(tx)
    .lockRows(tx.selectFrom('user').select('id').where('id', 'in', ids))
    .execute()
  await sql`update "user" as counted set ${sql.ref(column)} = (${userCounters[column]}) where id in (${sql.join(ids)})`.execute(
    tx,
  )
}
