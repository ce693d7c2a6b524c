import { sql } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { countRows } from '../../../../core/db/page.ts'

/** A text that a step wrote, with the name of its job. */
export interface Summary {
  readonly jobName: string
  /** Markdown. */
  readonly text: string
}

export interface StepKey {
  readonly taskId: number
  /** Counted from 0. */
  readonly step: number
}

/** An empty text deletes the summary of the step. */
export async function putSummary(tx: Tx, { taskId, step }: StepKey, text: string): Promise<void> {
  await tx.deleteFrom('action_summary').where('task_id', '=', taskId).where('step', '=', step).execute()
  if (text !== '') await tx.insertInto('action_summary').values({ task_id: taskId, step, text }).execute()
}

/** The number of the summaries of the other steps. */
export const countOtherSummaries = (db: Db, { taskId, step }: StepKey): Promise<number> =>
  countRows(db.selectFrom('action_summary').where('task_id', '=', taskId).where('step', '!=', step))

/** The first summaries of the latest tasks of a run, by job and step; texts are cut at `length` characters. */
export async function listSummaries(
  db: Db,
  runId: number,
  { limit, length }: { readonly limit: number; readonly length: number },
): Promise<Summary[]> {
  const rows = await db
    .selectFrom('action_job')
    .innerJoin('action_summary', 'action_summary.task_id', 'action_job.task_id')
    .select('action_job.name')
    .select(sql<string>`substr(action_summary.text, 1, ${sql.lit(length)})`.as('text'))
    .where('action_job.run_id', '=', runId)
    .where('action_job.is_replaced', '=', 0)
    .orderBy('action_job.id')
    .orderBy('action_summary.step')
    .limit(limit)
    .execute()
  return rows.map(({ name, text }) => ({ jobName: name, text }))
}
