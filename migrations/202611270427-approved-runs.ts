import { sql } from 'kysely'
import type { Schema } from './_helpers.ts'

export async function indexApprovedRuns({ db }: Schema): Promise<void> {
  await sql`create index action_run_approved_idx on action_run (repo_id, actor_id) where approver_id > 0`.execute(db)
}
