import { sql } from 'kysely'
import { dialectOf, type Tx } from '../../../core/db/database.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'

/** Counter columns of milestones, each with the query that counts it for the row `counted`. */
export const milestoneCounters = {
  open_issues: sql`select count(*) from issue where milestone_id = counted.id and is_closed = 0`,
  closed_issues: sql`select count(*) from issue where milestone_id = counted.id and is_closed = 1`,
}

/** Recounts a column for these milestones. */
export async function recountMilestones(
  tx: Tx,
  column: keyof typeof milestoneCounters,
  ids: readonly number[],
): Promise<void> {
  // NOTE: waits for concurrent transactions on these rows, so that the next statement reads their changes.
  await dialectOf(tx)
    .lockRows(tx.selectFrom('milestone').select('id').where('id', 'in', ids))
    .execute()
  await sql`update milestone as counted set ${sql.ref(column)} = (${milestoneCounters[column]}) where id in (${sql.join(ids)})`.execute(
    tx,
  )
}

/** Counts the issues of all milestones of a repository that nobody else changes. */
export const recountMilestonesOf = async (tx: Tx, repoId: RepoId): Promise<void> =>
  void (await sql`update milestone as counted
    set open_issues = (${milestoneCounters.open_issues}), closed_issues = (${milestoneCounters.closed_issues})
    where repo_id = ${repoId}`.execute(tx))
