import { sql, type SqlBool } from 'kysely'
import { unitBit } from '../../../../core/access/repo-access.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { CallingRunner } from '../runners/runner-login.ts'

/** The jobs of a repository that wait for the same labels. */
export interface WaitingGroup {
  readonly repoId: number
  readonly ownerId: number
  readonly labels: readonly string[]
  /** Epoch milliseconds, of the job that has waited longest. */
  readonly since: number
}

type Place = Pick<CallingRunner, 'ownerId' | 'repoId'>

/** The groups of waiting jobs that a runner of this place may get; reads only the index of waiting jobs. */
export async function listWaitingGroups(db: Db, { ownerId, repoId }: Place): Promise<WaitingGroup[]> {
  let query = db
    .selectFrom('action_job')
    .innerJoin('repo', 'repo.id', 'action_job.repo_id')
    .select(['action_job.repo_id', 'repo.owner_id', 'action_job.labels'])
    .select((eb) => eb.fn.min('action_job.updated_at').as('since'))
    .where('action_job.status', '=', 'waiting')
    .where('repo.is_archived', '=', 0)
    .where(sql<SqlBool>`(repo.units & ${sql.lit(unitBit('repo.actions'))}) <> 0`)
    .groupBy(['action_job.repo_id', 'repo.owner_id', 'action_job.labels'])
  if (repoId !== null) query = query.where('action_job.repo_id', '=', repoId)
  if (ownerId !== null) query = query.where('repo.owner_id', '=', ownerId)
  const rows = await query.execute()
  return rows.map((row) => ({
    repoId: row.repo_id,
    ownerId: row.owner_id,
    labels: JSON.parse(row.labels) as string[],
    since: row.since,
  }))
}

/** The number of running jobs by owner. */
export async function countRunningJobs(db: Db): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('action_job')
    .innerJoin('repo', 'repo.id', 'action_job.repo_id')
    .select('repo.owner_id')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('action_job.status', '=', 'running')
    .groupBy('repo.owner_id')
    .execute()
  return new Map(rows.map(({ owner_id, total }) => [owner_id, Number(total)]))
}

/** The jobs of a group that have waited longest. */
export async function listWaitingIds(db: Db, { repoId, labels }: WaitingGroup, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('action_job')
    .select('id')
    .where('status', '=', 'waiting')
    .where('repo_id', '=', repoId)
    .where('labels', '=', JSON.stringify(labels))
    .orderBy('updated_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Counts a new attempt of a job that still waits; returns its number, and undefined for any other job. */
export async function claimJob(tx: Tx, id: number): Promise<number | undefined> {
  const row = await tx
    .updateTable('action_job')
    .set({ status: 'running', attempt: sql<number>`attempt + 1` })
    .where('id', '=', id)
    .where('status', '=', 'waiting')
    .returning('attempt')
    .executeTakeFirst()
  return row?.attempt
}
