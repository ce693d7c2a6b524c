import type { Db } from '../../../../core/db/database.ts'

interface Before {
  /** Epoch milliseconds. */
  readonly before: number
  readonly limit: number
}

export interface OverdueTask {
  readonly id: number
  readonly jobId: number
  readonly runnerId: number
  readonly isCancelled: boolean
}

/** Running tasks: `silent`: whose last report is older; `old`: that started before. */
export async function listOverdueTasks(
  db: Db,
  kind: 'silent' | 'old',
  { before, limit }: Before,
): Promise<OverdueTask[]> {
  const rows = await db
    .selectFrom('action_task')
    .select(['id', 'job_id', 'runner_id', 'cancel_requested_at'])
    .where('status', '=', 'running')
    .where(kind === 'silent' ? 'updated_at' : 'started_at', '<', before)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    jobId: row.job_id,
    runnerId: row.runner_id,
    isCancelled: row.cancel_requested_at > 0,
  }))
}

/** Jobs that no runner has taken, and that have not changed since. */
export async function listAbandonedJobs(db: Db, { before, limit }: Before): Promise<number[]> {
  const rows = await db
    .selectFrom('action_job')
    .select('id')
    .where('status', 'in', ['waiting', 'blocked'])
    .where('updated_at', '<', before)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
