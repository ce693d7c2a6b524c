import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { RunStatus } from './run-status.policy.ts'
import { inScope, type RunScope } from './run.store.ts'
import type { ActionJobTable } from '../actions.table.ts'
import { type ActionsScope, scopeColumns } from '../levels.ts'

/** Times are epoch milliseconds, 0 for never. */
export interface Job {
  readonly id: number
  readonly repoId: RepoId
  readonly runId: number
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  readonly labels: readonly string[]
  /** It has an `if`, which the runner evaluates. */
  readonly hasCondition: boolean
  /** JSON: what it is planned from when the jobs that it needs have ended; empty if it is planned. */
  readonly late: string
  /** JSON: the group that the job joins when it is ready; empty: none, or joined. */
  readonly concurrency: string
  /** Empty: none. */
  readonly concurrencyGroup: string
  readonly attempt: number
  /** 0: no runner has taken it yet. */
  readonly taskId: number
  readonly status: RunStatus
  readonly startedAt: number
  readonly stoppedAt: number
  readonly createdAt: number
}

const NAMES = [
  'id',
  'repo_id',
  'run_id',
  'key',
  'name',
  'needs',
  'labels',
  'has_condition',
  'late',
  'concurrency',
  'concurrency_group',
  'attempt',
  'task_id',
  'status',
  'started_at',
  'stopped_at',
  'created_at',
] as const
/** All columns except those that only runners read. */
const COLUMNS = NAMES.map((name) => `action_job.${name}` as const)

const toJob = (row: Pick<Selectable<ActionJobTable>, (typeof NAMES)[number]>): Job => ({
  id: row.id,
  repoId: asId(row.repo_id),
  runId: row.run_id,
  key: row.key,
  name: row.name,
  needs: JSON.parse(row.needs) as string[],
  labels: JSON.parse(row.labels) as string[],
  hasCondition: row.has_condition === 1,
  late: row.late,
  concurrency: row.concurrency,
  concurrencyGroup: row.concurrency_group,
  attempt: row.attempt,
  taskId: row.task_id,
  status: row.status,
  startedAt: row.started_at,
  stoppedAt: row.stopped_at,
  createdAt: row.created_at,
})

export interface JobQuery {
  /** Empty: any status. */
  readonly statuses: readonly RunStatus[]
  /** Order of the ids. */
  readonly order: 'asc' | 'desc'
  readonly paging: Paging
}

export function listJobs(db: Db, scope: RunScope, { statuses, order, paging }: JobQuery): Promise<Page<Job>> {
  const query = db
    .selectFrom('action_job')
    .innerJoin('repo', 'repo.id', 'action_job.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .select(COLUMNS)
    .where((eb) => inScope(scope)(eb as never) as never)
    .orderBy('action_job.id', order)
  return selectPage(
    statuses.length === 0 ? query : query.where('action_job.status', 'in', [...statuses]),
    paging,
    toJob,
  )
}

export function listJobsOfRun(db: Db, runId: number, { statuses, order, paging }: JobQuery): Promise<Page<Job>> {
  const query = db
    .selectFrom('action_job')
    .select(COLUMNS)
    .where('run_id', '=', runId)
    .where('is_replaced', '=', 0)
    .orderBy('id', order)
  return selectPage(statuses.length === 0 ? query : query.where('status', 'in', [...statuses]), paging, toJob)
}

/** All jobs of the latest attempt of a run, sorted by id; their number is limited by the maximum of a workflow. */
export async function listAllJobsOfRun(db: Db, runId: number): Promise<Job[]> {
  return (await jobsOfRun(db, { runId })).map(toJob)
}

const jobsOfRun = defineQuery((db, { runId }: { readonly runId: number }) =>
  db.selectFrom('action_job').select(COLUMNS).where('run_id', '=', runId).where('is_replaced', '=', 0).orderBy('id'),
)

/** The sources from which the late jobs of a run were planned, by key. */
export async function listPlannedFrom(db: Db, runId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('action_job')
    .select(['key', 'planned_from'])
    .where('run_id', '=', runId)
    .where('is_replaced', '=', 0)
    .where('planned_from', '!=', '')
    .execute()
  return new Map(rows.map((row) => [row.key, row.planned_from]))
}

/** A job that waits for a runner, with the owner of its repository. */
export interface WaitingJob extends Job {
  readonly ownerId: number
}

/** Waiting jobs of the level, sorted by id; with `labels`, those that need no others. */
export async function listWaitingJobs(
  db: Db,
  scope: ActionsScope,
  { labels, paging }: { readonly labels: readonly string[] | undefined; readonly paging: Paging },
): Promise<Page<WaitingJob>> {
  const all = db
    .selectFrom('action_job')
    .innerJoin('repo', 'repo.id', 'action_job.repo_id')
    .where('action_job.status', '=', 'waiting')
  const { owner_id, repo_id } = scopeColumns(scope)
  const ofOwner = owner_id === null ? all : all.where('repo.owner_id', '=', owner_id)
  const ofLevel = repo_id === null ? ofOwner : ofOwner.where('action_job.repo_id', '=', repo_id)
  let query = ofLevel.select([...COLUMNS, 'repo.owner_id']).orderBy('action_job.id')
  if (labels !== undefined) {
    const known = await ofLevel.select('action_job.labels').distinct().execute()
    const fitting = known.filter((row) => (JSON.parse(row.labels) as string[]).every((label) => labels.includes(label)))
    if (fitting.length === 0) return { items: [], total: 0 }
    query = query.where(
      'action_job.labels',
      'in',
      fitting.map((row) => row.labels),
    )
  }
  return selectPage(query, paging, (row) => ({ ...toJob(row), ownerId: row.owner_id }))
}

/** In no order; omits ids without a row. */
export async function listJobsByIds(db: Db, ids: readonly number[]): Promise<Job[]> {
  if (ids.length === 0) return []
  return (await jobsByIds(db, { ids: [...new Set(ids)] })).map(toJob)
}

const jobsByIds = defineQuery((db, { ids }: { readonly ids: readonly number[] }) =>
  db.selectFrom('action_job').select(COLUMNS).where('id', 'in', ids),
)

/** Returns undefined also for a job of another repository. */
export async function findJob(db: Db, repoId: RepoId, id: number): Promise<Job | undefined> {
  const row = await db
    .selectFrom('action_job')
    .select(COLUMNS)
    .where('repo_id', '=', repoId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toJob(row)
}

/** Returns the ids in the given order. */
export async function insertJobs(tx: Tx, values: readonly Insertable<ActionJobTable>[]): Promise<number[]> {
  const ids: number[] = []
  for (const value of values) {
    const { id } = await tx.insertInto('action_job').values(value).returning('id').executeTakeFirstOrThrow()
    ids.push(id)
  }
  return ids
}

export async function updateJob(tx: Tx, id: number, values: Omit<Updateable<ActionJobTable>, 'id'>): Promise<void> {
  await update(tx, { ...values, id })
}

const update = defineQuery((db, { id, ...values }: Updateable<ActionJobTable> & { readonly id: number }) =>
  db.updateTable('action_job').set(values).where('id', '=', id),
)

/** Resets jobs to wait for a runner or for other jobs, as if they had never run; they join their groups again. */
export async function resetJobs(
  tx: Tx,
  ids: readonly number[],
  { status, at }: { readonly status: 'waiting' | 'blocked'; readonly at: number },
): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('action_job')
    .set({ status, task_id: 0, started_at: 0, stopped_at: 0, updated_at: at })
    .where('id', 'in', ids)
    .execute()
  const members = await tx
    .selectFrom('action_job')
    .select(['id', 'concurrency_group', 'cancels_in_progress'])
    .where('id', 'in', ids)
    .where('concurrency_group', '!=', '')
    .execute()
  for (const { id, concurrency_group: group, cancels_in_progress: cancels } of members)
    await updateJob(tx, id, { concurrency: JSON.stringify({ group, cancels: cancels === 1 }), concurrency_group: '' })
}

/** The number of jobs of the run that are not final. */
export async function countOpenJobs(db: Db, runId: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from action_job
    where run_id = ${runId} and status in ('waiting', 'blocked', 'running')`.execute(db)
  return rows[0]!.total
}

/** The numbers of jobs of all runs that are not final. */
export async function countJobsByStatus(db: Db): Promise<ReadonlyMap<RunStatus, number>> {
  const rows = await db
    .selectFrom('action_job')
    .select((eb) => ['status', eb.fn.countAll<number>().as('total')])
    .where('status', 'in', ['waiting', 'blocked', 'running'])
    .groupBy('status')
    .execute()
  return new Map(rows.map(({ status, total }) => [status, Number(total)]))
}

/** Since when the job has waited that waits the longest for a runner; undefined when none does. */
export async function findOldestWaiting(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('action_job')
    .select('updated_at')
    .where('status', '=', 'waiting')
    .orderBy('updated_at')
    .limit(1)
    .executeTakeFirst()
  return row?.updated_at
}
