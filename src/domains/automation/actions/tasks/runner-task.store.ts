import { type Insertable, sql, type Updateable } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { ActionStepTable, ActionTaskTable } from '../actions.table.ts'
import type { RunStatus } from '../runs/run-status.policy.ts'

/** A task as its runner reports on it. */
export interface RunnerTask {
  readonly id: number
  readonly repoId: RepoId
  readonly jobId: number
  readonly runId: number
  readonly runnerId: number
  readonly status: RunStatus
  /** 0: nobody has cancelled it. */
  readonly cancelRequestedAt: number
  /** Empty: the lines are in the database. */
  readonly logHash: string
  readonly logLines: number
  readonly logTextSize: number
  readonly isLogSealed: boolean
  readonly hasOutputs: boolean
  readonly startedAt: number
  readonly updatedAt: number
}

const tasks = (db: Db, { id }: { readonly id: number }) =>
  db
    .selectFrom('action_task')
    .select([
      'id',
      'repo_id',
      'job_id',
      'runner_id',
      'status',
      'cancel_requested_at',
      'log_hash',
      'log_lines',
      'log_text_size',
      'is_log_sealed',
      'started_at',
      'updated_at',
    ])
    // NOTE: not by a join, whose rows would be locked too.
    .select(sql<number>`(select run_id from action_job where action_job.id = action_task.job_id)`.as('run_id'))
    .select(sql<number>`(select count(*) from action_output where task_id = action_task.id)`.as('outputs'))
    .where('id', '=', id)

const found = defineQuery(tasks)
const locked = defineQuery((db, values: { readonly id: number }) => dialectOf(db as Tx).lockRows(tasks(db, values)))

type Row = Awaited<ReturnType<typeof found>>[number]

const toRunnerTask = (row: Row): RunnerTask => ({
  id: row.id,
  repoId: asId(row.repo_id),
  jobId: row.job_id,
  runId: row.run_id,
  runnerId: row.runner_id,
  status: row.status,
  cancelRequestedAt: row.cancel_requested_at,
  logHash: row.log_hash,
  logLines: row.log_lines,
  logTextSize: row.log_text_size,
  isLogSealed: row.is_log_sealed === 1,
  hasOutputs: row.outputs > 0,
  startedAt: row.started_at,
  updatedAt: row.updated_at,
})

export async function findRunnerTask(db: Db, id: number): Promise<RunnerTask | undefined> {
  const [row] = await found(db, { id })
  return row && toRunnerTask(row)
}

/** Like `findRunnerTask`; locks the row until the transaction ends. */
export async function lockRunnerTask(tx: Tx, id: number): Promise<RunnerTask | undefined> {
  const [row] = await locked(tx, { id })
  return row && toRunnerTask(row)
}

export async function updateTask(tx: Tx, id: number, values: Omit<Updateable<ActionTaskTable>, 'id'>): Promise<void> {
  await update(tx, { ...values, id })
}

const update = defineQuery((db, { id, ...values }: Updateable<ActionTaskTable> & { readonly id: number }) =>
  db.updateTable('action_task').set(values).where('id', '=', id),
)

/** Whether the runner has ever had a task. */
export async function hasTask(db: Db, runnerId: number): Promise<boolean> {
  const row = await db
    .selectFrom('action_task')
    .select('id')
    .where('runner_id', '=', runnerId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The running tasks that the runner got by a request with this key. */
export async function listTasksOfRequest(db: Db, runnerId: number, requestKey: string): Promise<number[]> {
  const rows = await db
    .selectFrom('action_task')
    .select('id')
    .where('runner_id', '=', runnerId)
    .where('status', '=', 'running')
    .where('request_key', '=', requestKey)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export const renewToken = (tx: Tx, id: number, hash: string): Promise<void> => updateTask(tx, id, { token_hash: hash })

/** Inserts a row for each step. */
export async function insertSteps(tx: Tx, taskId: number, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await stepInsertion(tx, {
    rows: names.map((name, number) => ({ task_id: taskId, number, name, status: 'waiting' as const })),
  })
}

const stepInsertion = defineQuery((db, { rows }: { readonly rows: readonly Insertable<ActionStepTable>[] }) =>
  db.insertInto('action_step').values(rows),
)

export interface StoredStep {
  readonly number: number
  readonly status: RunStatus
  readonly logIndex: number
  readonly logLength: number
}

export async function listStoredSteps(db: Db, taskId: number): Promise<StoredStep[]> {
  const rows = await storedSteps(db, { taskId })
  return rows.map((row) => ({
    number: row.number,
    status: row.status,
    logIndex: row.log_index,
    logLength: row.log_length,
  }))
}

const storedSteps = defineQuery((db, { taskId }: { readonly taskId: number }) =>
  db.selectFrom('action_step').select(['number', 'status', 'log_index', 'log_length']).where('task_id', '=', taskId),
)

/** Updates steps, of which no two have the same number; inserts those without a name that the workflow did not declare. */
export async function putSteps(tx: Tx, steps: readonly Omit<Insertable<ActionStepTable>, 'name'>[]): Promise<void> {
  if (steps.length > 0) await stepUpdate(tx, { rows: steps.map((step) => ({ ...step, name: '' })) })
}

const stepUpdate = defineQuery((db, { rows }: { readonly rows: readonly Insertable<ActionStepTable>[] }) =>
  db
    .insertInto('action_step')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['task_id', 'number']).doUpdateSet((eb) => ({
        status: eb.ref('excluded.status'),
        log_index: eb.ref('excluded.log_index'),
        log_length: eb.ref('excluded.log_length'),
        started_at: eb.ref('excluded.started_at'),
        stopped_at: eb.ref('excluded.stopped_at'),
      })),
    ),
)

/** The names of the outputs of a task. */
export async function listOutputNames(db: Db, taskId: number): Promise<string[]> {
  return (await outputNames(db, { taskId })).map(({ name }) => name)
}

const outputNames = defineQuery((db, { taskId }: { readonly taskId: number }) =>
  db.selectFrom('action_output').select('name').where('task_id', '=', taskId).orderBy('name'),
)

/** How many outputs a task has, and the characters of those of the latest tasks of its run. */
export async function measureOutputs(
  db: Db,
  { id, runId }: Pick<RunnerTask, 'id' | 'runId'>,
): Promise<{ readonly count: number; readonly size: number }> {
  const row = await db
    .selectFrom('action_output')
    .innerJoin('action_job', 'action_job.task_id', 'action_output.task_id')
    .select(sql<number>`coalesce(sum(case when action_output.task_id = ${id} then 1 else 0 end), 0)`.as('count'))
    .select(sql<number>`coalesce(sum(length(action_output.name) + length(value)), 0)`.as('size'))
    .where('action_job.run_id', '=', runId)
    .executeTakeFirstOrThrow()
  return { count: Number(row.count), size: Number(row.size) }
}

/** Outputs that are present keep their values. */
export async function insertOutputs(tx: Tx, taskId: number, outputs: Readonly<Record<string, string>>): Promise<void> {
  const rows = Object.entries(outputs).map(([name, value]) => ({ task_id: taskId, name, value }))
  if (rows.length === 0) return
  await tx
    .insertInto('action_output')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteLogLines(tx: Tx, taskId: number): Promise<void> {
  await tx.deleteFrom('action_log').where('task_id', '=', taskId).execute()
}
