import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { ActionScheduleTable } from '../actions.table.ts'

/** Data of the payload of a push to the default branch. */
export interface SchedulePush {
  readonly eventId: number
  readonly actorId: number
  readonly ref: string
  readonly before: string
  readonly after: string
}

/** The times at which a workflow of the default branch starts by itself. */
export interface Schedule {
  readonly id: number
  readonly repoId: RepoId
  readonly workflow: string
  readonly workflowPath: string
  readonly cron: string
  /** The push by which it was registered; undefined: none, as when another branch became the default. */
  readonly push: SchedulePush | undefined
  /** Epoch milliseconds. */
  readonly nextAt: number
}

const toSchedule = (row: Selectable<ActionScheduleTable>): Schedule => ({
  id: row.id,
  repoId: asId(row.repo_id),
  workflow: row.workflow,
  workflowPath: row.workflow_path,
  cron: row.cron,
  push: row.push === '' ? undefined : (JSON.parse(row.push) as SchedulePush),
  nextAt: row.next_at,
})

interface DueSchedules {
  readonly now: number
  /** Begins after this one; undefined: with the first. */
  readonly after: Pick<Schedule, 'id' | 'nextAt'> | undefined
  readonly limit: number
}

/** Due schedules, the oldest first. */
export async function listDueSchedules(db: Db, { now, after, limit }: DueSchedules): Promise<Schedule[]> {
  const { id, nextAt } = after ?? { id: 0, nextAt: -1 }
  const rows = await db
    .selectFrom('action_schedule')
    .selectAll()
    .where('next_at', '<=', now)
    .where((eb) => eb.or([eb('next_at', '>', nextAt), eb.and([eb('next_at', '=', nextAt), eb('id', '>', id)])]))
    .orderBy('next_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toSchedule)
}

export async function listSchedules(db: Db, repoId: RepoId): Promise<Schedule[]> {
  const rows = await db.selectFrom('action_schedule').selectAll().where('repo_id', '=', repoId).orderBy('id').execute()
  return rows.map(toSchedule)
}

export type NewSchedule = Omit<Schedule, 'id' | 'push' | 'repoId'>

export async function insertSchedules(
  tx: Tx,
  repoId: RepoId,
  { schedules, at }: { readonly schedules: readonly NewSchedule[]; readonly at: number },
): Promise<void> {
  if (schedules.length === 0) return
  const rows = schedules.map((one) => ({
    repo_id: repoId,
    workflow: one.workflow,
    workflow_path: one.workflowPath,
    cron: one.cron,
    next_at: one.nextAt,
    created_at: at,
  }))
  await tx.insertInto('action_schedule').values(rows).execute()
}

/** All schedules of a repository are registered again by a push. */
export async function updateSchedulePushes(tx: Tx, repoId: RepoId, push: SchedulePush): Promise<void> {
  await tx
    .updateTable('action_schedule')
    .set({ push: JSON.stringify(push) })
    .where('repo_id', '=', repoId)
    .execute()
}

export async function updateScheduleTime(tx: Tx, id: number, nextAt: number): Promise<void> {
  await tx.updateTable('action_schedule').set({ next_at: nextAt }).where('id', '=', id).execute()
}

export async function deleteSchedules(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0)
    await tx
      .deleteFrom('action_schedule')
      .where('id', 'in', [...ids])
      .execute()
}
