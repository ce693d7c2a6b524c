import { sql } from 'kysely'
import { dialectOf, type Tx } from '../../../core/db/database.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'

/** Counter columns of labels, each with the query that counts it for the row `counted`. */
export const labelCounters = {
  issues_count: sql`select count(*) from issue_label where label_id = counted.id`,
}

/** Recounts a column for these labels. */
export async function recountLabels(tx: Tx, column: keyof typeof labelCounters, ids: readonly number[]): Promise<void> {
  // NOTE: waits for concurrent transactions on these rows, so that the next statement reads their changes.
  await dialectOf(tx)
    .lockRows(tx.selectFrom('label').select('id').where('id', 'in', ids))
    .execute()
  await sql`update label as counted set ${sql.ref(column)} = (${labelCounters[column]}) where id in (${sql.join(ids)})`.execute(
    tx,
  )
}

/** Counts the issues of all labels of a repository that nobody else changes. */
export const recountLabelsOf = async (tx: Tx, repoId: RepoId): Promise<void> =>
  void (await sql`update label as counted set issues_count = (${labelCounters.issues_count}) where repo_id = ${repoId}`.execute(
    tx,
  ))
