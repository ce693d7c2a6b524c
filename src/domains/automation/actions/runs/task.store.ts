import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { RunStatus } from './run-status.policy.ts'
import type { ActionLogTable, ActionStepTable, ActionTaskTable } from '../actions.table.ts'

/** Times are epoch milliseconds, 0 for never. */
export interface Task {
  readonly id: number
  readonly jobId: number
  readonly runnerId: number
  readonly runnerName: string
  readonly status: RunStatus
  /** Empty: the lines are in the database. */
  readonly logHash: string
  /** `zstd` or empty. */
  readonly logEncoding: string
  /** Bytes of the lines. */
  readonly logTextSize: number
  readonly isLogExpired: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

const toTask = (row: Selectable<ActionTaskTable>): Task => ({
  id: row.id,
  jobId: row.job_id,
  runnerId: row.runner_id,
  runnerName: row.runner_name,
  status: row.status,
  logHash: row.log_hash,
  logEncoding: row.log_encoding,
  logTextSize: row.log_text_size,
  isLogExpired: row.is_log_expired === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export interface TaskQuery {
  /** Empty: any status. */
  readonly statuses: readonly RunStatus[]
  readonly paging: Paging
}

/** Newest first. */
export function listTasks(db: Db, repoId: RepoId, { statuses, paging }: TaskQuery): Promise<Page<Task>> {
  const query = db.selectFrom('action_task').selectAll().where('repo_id', '=', repoId).orderBy('id', 'desc')
  return selectPage(statuses.length === 0 ? query : query.where('status', 'in', [...statuses]), paging, toTask)
}

/** In no order; omits ids without a row. */
export async function listTasksByIds(db: Db, ids: readonly number[]): Promise<Task[]> {
  if (ids.length === 0) return []
  return (await db.selectFrom('action_task').selectAll().where('id', 'in', ids).execute()).map(toTask)
}

export async function findTaskOfAttempt(db: Db, jobId: number, attempt: number): Promise<Task | undefined> {
  const row = await db
    .selectFrom('action_task')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('attempt', '=', attempt)
    .executeTakeFirst()
  return row && toTask(row)
}

export async function insertTask(tx: Tx, values: Insertable<ActionTaskTable>): Promise<number> {
  return (await insertion(tx, values))[0]!.id
}

const insertion = defineQuery((db, values: Insertable<ActionTaskTable>) =>
  db.insertInto('action_task').values(values).returning('id'),
)

interface TaskEnd {
  readonly status: RunStatus
  readonly at: number
}

/**
 * Ends a running task with its token and the steps that the runner has not reported as ended: those that ran as the
 * task, others as skipped. Undefined for a task that had ended.
 */
export async function endTask(
  tx: Tx,
  id: number,
  end: TaskEnd,
): Promise<{ readonly isLogSealed: boolean } | undefined> {
  const [row] = await ended(tx, { id, ...end })
  if (row === undefined) return undefined
  await endSteps(tx, { id, ...end })
  return { isLogSealed: row.is_log_sealed === 1 }
}

const ended = defineQuery((db, { id, status, at }: TaskEnd & { readonly id: number }) =>
  db
    .updateTable('action_task')
    .set({ status, stopped_at: at, updated_at: at, token_hash: '' })
    .where('id', '=', id)
    .where('status', '=', 'running')
    .returning('is_log_sealed'),
)

const endSteps = defineQuery((db, { id, status, at }: TaskEnd & { readonly id: number }) =>
  db
    .updateTable('action_step')
    .set({
      status: sql<RunStatus>`case when status = 'running' then ${status} else 'skipped' end`,
      stopped_at: at,
    })
    .where('task_id', '=', id)
    .where('status', 'in', ['waiting', 'running']),
)

/** The runners of these tasks learn it with their next reports. */
export async function requestCancellation(tx: Tx, ids: readonly number[], at: number): Promise<void> {
  await tx
    .updateTable('action_task')
    .set({ cancel_requested_at: at, updated_at: at })
    .where('id', 'in', [...ids])
    .execute()
}

/** Selects, of these tasks, those whose runners execute the last steps of a cancelled job before they end it. */
export async function listTasksEndedByRunners(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('action_task')
    .innerJoin('action_runner', 'action_runner.id', 'action_task.runner_id')
    .select(['action_task.id', 'action_runner.capabilities'])
    .where('action_task.id', 'in', [...ids])
    .execute()
  return rows.filter((row) => (JSON.parse(row.capabilities) as string[]).includes('cancelling')).map(({ id }) => id)
}

/** Times are epoch milliseconds, 0 for never. */
export interface Step {
  readonly taskId: number
  readonly number: number
  readonly name: string
  readonly status: RunStatus
  readonly startedAt: number
  readonly stoppedAt: number
}

/** Steps of these tasks, sorted by number. */
export async function listSteps(db: Db, taskIds: readonly number[]): Promise<Step[]> {
  if (taskIds.length === 0) return []
  const rows = await db
    .selectFrom('action_step')
    .selectAll()
    .where('task_id', 'in', taskIds)
    .orderBy('number')
    .execute()
  return rows.map((row) => ({
    taskId: row.task_id,
    number: row.number,
    name: row.name,
    status: row.status,
    startedAt: row.started_at,
    stoppedAt: row.stopped_at,
  }))
}

export async function insertStep(tx: Tx, values: Insertable<ActionStepTable>): Promise<void> {
  await tx.insertInto('action_step').values(values).execute()
}

export async function insertLogLines(tx: Tx, values: Insertable<ActionLogTable>): Promise<void> {
  await logInsertion(tx, values)
}

const logInsertion = defineQuery((db, values: Insertable<ActionLogTable>) => db.insertInto('action_log').values(values))

const CHUNKS = 16

/** The lines of a log that are in the database, in batches. */
export async function* readLogLines(db: Db, taskId: number): AsyncGenerator<string, void, undefined> {
  for (let after = -1; ;) {
    const rows = await db
      .selectFrom('action_log')
      .select(['first_line', 'text'])
      .where('task_id', '=', taskId)
      .where('first_line', '>', after)
      .orderBy('first_line')
      .limit(CHUNKS)
      .execute()
    yield* rows.map(({ text }) => text)
    if (rows.length < CHUNKS) return
    after = rows.at(-1)!.first_line
  }
}

/** Shows whether there are new lines in a log, and whether there may be more. */
export interface LogState {
  readonly isRunning: boolean
  readonly isSealed: boolean
  readonly updatedAt: number
}

/** States of logs by task; omits ids without a row. */
export async function listLogStates(db: Db, ids: readonly number[]): Promise<Map<number, LogState>> {
  const rows = await db
    .selectFrom('action_task')
    .select(['id', 'status', 'is_log_sealed', 'updated_at'])
    .where('id', 'in', ids)
    .execute()
  return new Map(
    rows.map((row) => [
      row.id,
      { isRunning: row.status === 'running', isSealed: row.is_log_sealed === 1, updatedAt: row.updated_at },
    ]),
  )
}

/** Lines of a log that are in the database: the part with the line of this number, or the last part before it. */
export async function findLogPart(
  db: Db,
  taskId: number,
  line: number,
): Promise<{ readonly firstLine: number; readonly text: string } | undefined> {
  const row = await db
    .selectFrom('action_log')
    .select(['first_line', 'text'])
    .where('task_id', '=', taskId)
    .where('first_line', '<=', line)
    .orderBy('first_line', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { firstLine: row.first_line, text: row.text }
}
