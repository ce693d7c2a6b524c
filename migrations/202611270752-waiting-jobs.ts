import { sql } from 'kysely'
import type { Schema } from './_helpers.ts'

/**
 * SQLite prefers an index of all jobs by status to one without the column; PostgreSQL does not search by a column whose
 * value follows from the condition of the index.
 */
export async function indexWaitingJobs({ db, dialect }: Schema): Promise<void> {
  if (dialect === 'postgres') return
  // NOTE: 202611270100 made the index with either list of columns.
  await sql`drop index if exists action_job_waiting_idx`.execute(db)
  await sql`create index action_job_waiting_idx on action_job (status, repo_id, labels, updated_at, id)
    where status = 'waiting'`.execute(db)
}
