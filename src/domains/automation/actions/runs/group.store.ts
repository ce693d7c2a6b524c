import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { RunStatus } from './run-status.policy.ts'

/** A run or a job of a concurrency group that has not ended. */
export interface GroupMember {
  readonly runId: number
  /** 0 for a whole run. */
  readonly jobId: number
  /** It has begun, or waits for a runner. */
  readonly isActive: boolean
  readonly hasBegun: boolean
}

/** The run, or the job of it, that asks. */
export interface GroupOwner {
  readonly runId: number
  readonly jobId: number
}

const OPEN: readonly RunStatus[] = ['waiting', 'blocked', 'running']

const hasJob = (eb: ExpressionBuilder<Schema, 'action_run'>, statuses: readonly RunStatus[]) =>
  eb.exists(
    eb
      .selectFrom('action_job')
      .select('action_job.id')
      .whereRef('action_job.run_id', '=', 'action_run.id')
      .where('action_job.status', 'in', [...statuses]),
  )

/** The members of a group other than the one that asks, and other than its own run or the jobs of it. */
export async function listGroupMembers(
  db: Db,
  repoId: RepoId,
  group: string,
  { runId, jobId }: GroupOwner,
): Promise<GroupMember[]> {
  const runs = await db
    .selectFrom('action_run')
    .select(['action_run.id', 'action_run.started_at'])
    .select((eb) => hasJob(eb, ['waiting', 'running']).as('is_active'))
    .where('action_run.repo_id', '=', repoId)
    .where('action_run.concurrency_group', '=', group)
    .where('action_run.id', '!=', runId)
    .where(sql<SqlBool>`(action_run.needs_approval = 0 or action_run.approver_id > 0)`)
    .where((eb) => hasJob(eb, OPEN))
    .orderBy('action_run.id')
    .execute()
  const jobs = await db
    .selectFrom('action_job')
    .select(['id', 'run_id', 'status'])
    .where('repo_id', '=', repoId)
    .where('concurrency_group', '=', group)
    .where('status', 'in', [...OPEN])
    .$if(jobId === 0, (query) => query.where('run_id', '!=', runId))
    .where('id', '!=', jobId)
    .orderBy('id')
    .execute()
  return [
    ...runs.map((run) => ({
      runId: run.id,
      jobId: 0,
      isActive: run.started_at > 0 || Boolean(run.is_active),
      hasBegun: run.started_at > 0,
    })),
    ...jobs.map((job) => ({
      runId: job.run_id,
      jobId: job.id,
      isActive: job.status !== 'blocked',
      hasBegun: job.status === 'running',
    })),
  ]
}
