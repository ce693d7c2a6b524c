import { type ExpressionBuilder, type Insertable, type Selectable, type SqlBool, type Updateable, sql } from 'kysely'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { readsUnit, visibleRepos } from '../../../../core/access/visible-repos.ts'
import { type Db, dialectOf, type Tx } from '../../../../core/db/database.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { ActionsScope } from '../levels.ts'
import type { RunStatus } from './run-status.policy.ts'
import type { ActionRunTable } from '../actions.table.ts'

/** Times are epoch milliseconds, 0 for never. */
export interface Run {
  readonly id: number
  readonly repoId: RepoId
  readonly number: number
  /** File name. */
  readonly workflow: string
  readonly title: string
  readonly event: string
  readonly ref: string
  readonly oid: string
  /** The account may have been deleted. */
  readonly actorId: UserId
  /** The number of runs that led to this one, each by the end of the one before. */
  readonly depth: number
  /** It waits for the approval of somebody who may write to the repository. */
  readonly isHeld: boolean
  readonly needsApproval: boolean
  /** 0: not approved. */
  readonly approverId: number
  /** Whether it runs code of somebody who may not write to the repository. */
  readonly isFromFork: boolean
  readonly concurrencyGroup: string
  readonly cancelsInProgress: boolean
  /** Counts from 1. */
  readonly attempt: number
  /** The account that started the latest attempt. */
  readonly triggerActorId: UserId
  /** The name that the workflow states; empty if it states none. */
  readonly workflowName: string
  /** The commit that gets statuses of its jobs; empty: none. */
  readonly reportedOid: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly status: RunStatus
  readonly startedAt: number
  readonly stoppedAt: number
}

/** All columns except those that only runners read. */
const COLUMNS = [
  'action_run.id',
  'action_run.repo_id',
  'action_run.number',
  'action_run.workflow',
  'action_run.title',
  'action_run.event',
  'action_run.ref',
  'action_run.oid',
  'action_run.actor_id',
  'action_run.depth',
  'action_run.needs_approval',
  'action_run.approver_id',
  'action_run.is_from_fork',
  'action_run.concurrency_group',
  'action_run.cancels_in_progress',
  'action_run.attempt',
  'action_run.trigger_actor_id',
  'action_run.workflow_name',
  'action_run.reported_oid',
  'action_run.created_at',
  'action_run.updated_at',
  'action_run.status',
  'action_run.started_at',
  'action_run.stopped_at',
] as const

type RunRow = Pick<
  Selectable<ActionRunTable>,
  | 'id'
  | 'repo_id'
  | 'number'
  | 'workflow'
  | 'title'
  | 'event'
  | 'ref'
  | 'oid'
  | 'actor_id'
  | 'depth'
  | 'needs_approval'
  | 'approver_id'
  | 'is_from_fork'
  | 'concurrency_group'
  | 'cancels_in_progress'
  | 'attempt'
  | 'trigger_actor_id'
  | 'workflow_name'
  | 'reported_oid'
  | 'created_at'
  | 'updated_at'
  | 'status'
  | 'started_at'
  | 'stopped_at'
>

const toRun = (row: RunRow): Run => ({
  id: row.id,
  repoId: asId(row.repo_id),
  number: row.number,
  workflow: row.workflow,
  title: row.title,
  event: row.event,
  ref: row.ref,
  oid: row.oid,
  actorId: asId(row.actor_id),
  depth: row.depth,
  isHeld: row.needs_approval === 1 && row.approver_id === 0,
  needsApproval: row.needs_approval === 1,
  approverId: row.approver_id,
  isFromFork: row.is_from_fork === 1,
  concurrencyGroup: row.concurrency_group,
  cancelsInProgress: row.cancels_in_progress === 1,
  attempt: row.attempt,
  triggerActorId: asId(row.trigger_actor_id || row.actor_id),
  workflowName: row.workflow_name,
  reportedOid: row.reported_oid,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  status: row.status,
  startedAt: row.started_at,
  stoppedAt: row.stopped_at,
})

/** Absent members do not filter; neither does an empty list of statuses. */
export interface RunFilter {
  readonly statuses: readonly RunStatus[]
  /** Empty: any event. */
  readonly events: readonly string[]
  readonly branch?: string | undefined
  readonly actorId?: number | undefined
  readonly oid?: string | undefined
  /** The file name. */
  readonly workflow?: string | undefined
  readonly number?: number | undefined
  /** The full name. */
  readonly ref?: string | undefined
}

type EqualColumn = 'ref' | 'actor_id' | 'oid' | 'workflow' | 'number'

/**
 * The repositories whose runs are selected: one that the viewer may access, or the readable ones of an account or of
 * the site.
 */
export interface RunScope {
  readonly scope: ActionsScope
  readonly viewer: Viewer
}

type RepoBuilder = ExpressionBuilder<Schema & { owner: Schema['user'] }, 'repo' | 'owner'>

/** The condition on `repo`, joined with its `owner`. */
export const inScope =
  ({ scope, viewer }: RunScope) =>
  (eb: RepoBuilder) => {
    if (scope.kind === 'repository') return eb('repo.id', '=', scope.repoId)
    const readable = [visibleRepos(viewer)(eb as never), readsUnit(viewer, 'repo.actions')]
    return eb.and(scope.kind === 'site' ? readable : [eb('repo.owner_id', '=', scope.ownerId), ...readable])
  }

/** Newest first. */
export function listRuns(
  db: Db,
  scope: RunScope,
  { filter, paging }: { readonly filter: RunFilter; readonly paging: Paging },
): Promise<Page<Run>> {
  const { statuses, events, branch, actorId, oid, workflow, number, ref } = filter
  const equal: readonly (readonly [EqualColumn, string | number | undefined])[] = [
    ['ref', branch === undefined ? undefined : `refs/heads/${branch}`],
    ['ref', ref],
    ['actor_id', actorId],
    ['oid', oid],
    ['workflow', workflow],
    ['number', number],
  ]
  let query = db
    .selectFrom('action_run')
    .innerJoin('repo', 'repo.id', 'action_run.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .select(COLUMNS)
    .where((eb) => inScope(scope)(eb as never) as never)
  if (statuses.length > 0) query = query.where('action_run.status', 'in', [...statuses])
  if (events.length > 0) query = query.where('action_run.event', 'in', [...events])
  for (const [column, value] of equal)
    if (value !== undefined) query = query.where(sql<SqlBool>`${sql.ref(`action_run.${column}`)} = ${value}`)
  return selectPage(query.orderBy('action_run.id', 'desc'), paging, toRun)
}

/** Returns undefined also for a run of another repository. */
export async function findRun(db: Db, repoId: RepoId, id: number): Promise<Run | undefined> {
  const row = await db
    .selectFrom('action_run')
    .select(COLUMNS)
    .where('repo_id', '=', repoId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toRun(row)
}

/** The event of a run as its jobs see it, JSON; empty for a run that was deleted. */
export async function findRunPayload(db: Db, id: number): Promise<string> {
  const row = await db.selectFrom('action_run').select('payload').where('id', '=', id).executeTakeFirst()
  return row?.payload ?? ''
}

/** Like `findRun`; locks the row until the transaction ends. */
export async function lockRun(tx: Tx, repoId: RepoId, id: number): Promise<Run | undefined> {
  const [row] = await locked(tx, { repoId, id })
  return row && toRun(row)
}

const locked = defineQuery((db, { repoId, id }: { readonly repoId: RepoId; readonly id: number }) =>
  dialectOf(db as Tx).lockRows(
    db.selectFrom('action_run').select(COLUMNS).where('repo_id', '=', repoId).where('id', '=', id),
  ),
)

/** Undefined for a task that does not exist. Locks the row until the transaction ends. */
export async function lockRunOfTask(tx: Tx, taskId: number): Promise<Run | undefined> {
  const [row] = await lockedOfTask(tx, { taskId })
  return row && toRun(row)
}

const lockedOfTask = defineQuery((db, { taskId }: { readonly taskId: number }) =>
  dialectOf(db as Tx).lockRows(
    db
      .selectFrom('action_run')
      .select(COLUMNS)
      // NOTE: not by a join, whose rows would be locked too.
      .where('id', '=', (eb) =>
        eb
          .selectFrom('action_task')
          .innerJoin('action_job', 'action_job.id', 'action_task.job_id')
          .select('action_job.run_id')
          .where('action_task.id', '=', taskId),
      ),
  ),
)

/** The run of a workflow that a source has started. */
export async function findRunOfSource(
  db: Db,
  repoId: RepoId,
  source: string,
  workflowPath: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('action_run')
    .select('id')
    .where('repo_id', '=', repoId)
    .where('source', '=', source)
    .where('workflow_path', '=', workflowPath)
    .executeTakeFirst()
  return row?.id
}

export interface ResultQuery {
  /** The file name. */
  readonly workflow: string
  readonly branch: string
  readonly event: string | undefined
}

/** The status of the last run of a workflow on a branch that ended. */
export async function findRunResult(
  db: Db,
  repoId: RepoId,
  { workflow, branch, event }: ResultQuery,
): Promise<RunStatus | undefined> {
  const row = await db
    .selectFrom('action_run')
    .select('status')
    .where('repo_id', '=', repoId)
    .where('workflow', '=', workflow)
    .where('ref', '=', `refs/heads/${branch}`)
    .where('status', 'in', ['success', 'failure', 'cancelled', 'skipped'])
    .$if(event !== undefined, (query) => query.where('event', '=', event!))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.status
}

/** Whether somebody has approved a run of the account in the repository. */
export async function hasApprovedRun(db: Db, repoId: RepoId, actorId: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('action_run')
    .select('id')
    .where('repo_id', '=', repoId)
    .where('actor_id', '=', actorId)
    .where('approver_id', '>', sql.lit(0))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The runs of an event that have not ended. */
export async function listOpenRuns(db: Db, repoId: RepoId, event: string): Promise<Run[]> {
  const rows = await db
    .selectFrom('action_run')
    .select(COLUMNS)
    .where('repo_id', '=', repoId)
    .where('status', 'in', ['waiting', 'blocked', 'running'])
    .where('event', '=', event)
    .orderBy('id')
    .execute()
  return rows.map(toRun)
}

/** In no order; omits ids without a row. */
export async function listRunsByIds(db: Db, ids: readonly number[]): Promise<Run[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('action_run')
    .select(COLUMNS)
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return rows.map(toRun)
}

/**
 * Assigns the next number of the repository to the run, which locks the repository's row until the transaction ends.
 */
export async function insertRun(tx: Tx, values: Omit<Insertable<ActionRunTable>, 'number'>): Promise<Run> {
  const { last_run_number: number } = await tx
    .insertInto('action_repo')
    .values({ repo_id: values.repo_id, last_run_number: 1 })
    .onConflict((conflict) =>
      conflict.column('repo_id').doUpdateSet({ last_run_number: sql<number>`action_repo.last_run_number + 1` }),
    )
    .returning('last_run_number')
    .executeTakeFirstOrThrow()
  const row = await tx
    .insertInto('action_run')
    .values({ ...values, number })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return toRun(row)
}

export async function updateRun(tx: Tx, id: number, values: Omit<Updateable<ActionRunTable>, 'id'>): Promise<void> {
  await update(tx, { ...values, id })
}

const update = defineQuery((db, { id, ...values }: Updateable<ActionRunTable> & { readonly id: number }) =>
  db.updateTable('action_run').set(values).where('id', '=', id),
)

/** Whether statuses of the jobs are added to a commit. */
export async function isReported(db: Db, id: number): Promise<boolean> {
  const [row] = await reported(db, { id })
  return row !== undefined && row.reported_oid !== ''
}

const reported = defineQuery((db, { id }: { readonly id: number }) =>
  db.selectFrom('action_run').select('reported_oid').where('id', '=', id),
)

/** Deletes a run with its jobs, tasks, logs and artifacts. */
export async function deleteRun(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('action_run').where('id', '=', id).execute()
}
