import { type RawBuilder, sql } from 'kysely'
import { dialectOf, type Tx } from '../../../core/db/database.ts'

/**
 * Counter columns of users, each with the query that counts it for the row `counted`. Later domains have the queries of
 * what they count.
 */
export const userCounters = {
  followers_count: sql`select count(*) from follow where followed_id = counted.id`,
  following_count: sql`select count(*) from follow where user_id = counted.id`,
}

interface UserCounter {
  readonly column: string
  /** Counts for the row `counted`. */
  readonly count: RawBuilder<unknown>
}

/** Recounts a column for these users. */
export async function recountUsers(tx: Tx, { column, count }: UserCounter, ids: readonly number[]): Promise<void> {
  // NOTE: waits for concurrent transactions on these rows, so that the next statement sees their changes.
  await dialectOf(tx)
    .lockRows(tx.selectFrom('user').select('id').where('id', 'in', ids))
    .execute()
  await sql`update "user" as counted set ${sql.ref(column)} = (${count}) where id in (${sql.join(ids)})`.execute(tx)
}
