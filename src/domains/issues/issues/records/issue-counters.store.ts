import { sql } from 'kysely'
import { dialectOf, type Tx } from '../../../../core/db/database.ts'

/** Counter columns of issues, each with the query that counts it for the row `counted`. */
export const issueCounters = {
  comments_count: sql`select count(*) + counted.reviews_counted from timeline_entry where issue_id = counted.id and kind = 'comment'`,
}

/** Recounts a column for these issues. */
export async function recountIssues(tx: Tx, column: keyof typeof issueCounters, ids: readonly number[]): Promise<void> {
  // NOTE: waits for concurrent transactions on these rows, so that the next statement reads what they wrote.
  await dialectOf(tx)
    .lockRows(tx.selectFrom('issue').select('id').where('id', 'in', ids))
    .execute()
  await sql`update issue as counted set ${sql.ref(column)} = (${issueCounters[column]}) where id in (${sql.join(ids)})`.execute(
    tx,
  )
}
