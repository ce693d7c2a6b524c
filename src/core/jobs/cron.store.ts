import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'

export interface CronRun {
  readonly lastRunAt: number
  readonly runsCount: number
}

export async function loadCronRuns(db: Db): Promise<Map<string, CronRun>> {
  const rows = await db.selectFrom('cron_task').selectAll().execute()
  return new Map(rows.map((row) => [row.name, { lastRunAt: row.last_run_at, runsCount: row.runs_count }]))
}

/** True for the one node that runs the task for the time `due`. */
export async function claimCronRun(tx: Tx, name: string, due: number): Promise<boolean> {
  await tx
    .insertInto('cron_task')
    .values({ name })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const result = await tx
    .updateTable('cron_task')
    .set({ last_run_at: due, runs_count: sql<number>`runs_count + 1` })
    .where('name', '=', name)
    .where('last_run_at', '<', due)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}
