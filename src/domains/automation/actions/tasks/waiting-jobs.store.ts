import { sql } from 'kysely'
import { unitBit } from '../../../../core/access/repo-access.ts'
import type { Db } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Job } from '../runs/job.store.ts'
import type { CallingRunner } from '../runners/runner-login.ts'

/** The jobs of a repository that wait for the same labels. */
export interface WaitingGroup {
  readonly repoId: RepoId
  readonly ownerId: number
  readonly labels: readonly string[]
  /** Epoch milliseconds, of the job that has waited longest. */
  readonly since: number
  /** Id of the job that has waited longest. */
  readonly jobId: number
}

type Place = Pick<CallingRunner, 'ownerId' | 'repoId'>

interface GroupRow {
  readonly id: number
  readonly repo_id: number
  readonly owner_id: number
  readonly labels: string
  readonly since: number
}

/**
 * The groups of waiting jobs that a runner of this place may get. Looks up one job of each group in the index of waiting
 * jobs, however many wait.
 */
export async function listWaitingGroups(db: Db, { ownerId, repoId }: Place): Promise<WaitingGroup[]> {
  const level = repoId !== null ? 'repo' : ownerId !== null ? 'owner' : 'site'
  return (await waitingGroups(db, { ownerId, repoId }, level)).map((row) => ({
    repoId: asId(row.repo_id),
    ownerId: row.owner_id,
    labels: JSON.parse(row.labels) as string[],
    since: row.since,
    jobId: row.id,
  }))
}

const waitingGroups = defineQuery((db, { ownerId, repoId }: Place, level: 'owner' | 'repo' | 'site') => ({
  compile: () =>
    sql<GroupRow>`with recursive oldest (id, repo_id, labels, since) as (
      select * from (select id, repo_id, labels, updated_at from action_job
        where status = 'waiting' ${level === 'repo' ? sql`and repo_id = ${repoId}` : sql``}
        order by repo_id, labels, updated_at, id limit 1) as first
      union all
      select next.id, next.repo_id, next.labels, next.updated_at from oldest
        join action_job as next on next.id = coalesce(
          (select id from action_job where status = 'waiting' and repo_id = oldest.repo_id and labels > oldest.labels
            order by labels, updated_at, id limit 1),
          ${level === 'repo' ? sql.lit(null) : FIRST_OF_NEXT_REPO}))
    select oldest.id, oldest.repo_id, oldest.labels, oldest.since, repo.owner_id from oldest
      join repo on repo.id = oldest.repo_id
      where repo.is_archived = 0 and (repo.units & ${sql.lit(unitBit('repo.actions'))}) <> 0
        ${level === 'owner' ? sql`and repo.owner_id = ${ownerId}` : sql``}`.compile(db),
}))

const FIRST_OF_NEXT_REPO = sql`(select id from action_job where status = 'waiting' and repo_id > oldest.repo_id
            order by repo_id, labels, updated_at, id limit 1)`

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
export async function listWaiting(
  db: Db,
  { repoId, labels }: Pick<WaitingGroup, 'labels' | 'repoId'>,
  limit: number,
): Promise<Pick<Job, 'id' | 'runId'>[]> {
  const rows = await waitingOf(db, { repoId, labels: JSON.stringify(labels) }, String(limit))
  return rows.map((row) => ({ id: row.id, runId: row.run_id }))
}

/** A job that a runner may take. */
interface FreeJob {
  readonly repoId: RepoId
  /** How often a runner has taken it. */
  readonly attempt: number
  /** The names of its steps. */
  readonly steps: readonly string[]
}

/** Undefined for a job that does not wait any longer. */
export async function findFreeJob(db: Db, id: number): Promise<FreeJob | undefined> {
  const [row] = await freeJobs(db, { id })
  return row && { repoId: asId(row.repo_id), attempt: row.attempt, steps: JSON.parse(row.steps) as string[] }
}

const freeJobs = defineQuery((db, { id }: { readonly id: number }) =>
  db
    .selectFrom('action_job')
    .select(['repo_id', 'attempt', 'steps'])
    .where('id', '=', id)
    .where('status', '=', sql.lit('waiting')),
)

const waitingOf = defineQuery((db, { repoId, labels }: { repoId: number; labels: string }, limit: string) =>
  db
    .selectFrom('action_job')
    .select(['id', 'run_id'])
    // NOTE: not a parameter, for which PostgreSQL would not use the index of waiting jobs.
    .where('status', '=', sql.lit('waiting'))
    .where('repo_id', '=', repoId)
    .where('labels', '=', labels)
    .orderBy('updated_at')
    .orderBy('id')
    .limit(Number(limit)),
)
