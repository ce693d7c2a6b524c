import type { Db } from '../../../../core/db/database.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'

/** A task that has not ended, as its tokens identify it. */
export interface RunningTask {
  readonly id: number
  readonly jobId: number
  readonly runId: number
  readonly repoId: RepoId
  /** The owner of the repository. */
  readonly ownerId: UserId
  /** The `permissions` of the job as a JSON object; empty: those of the repository. */
  readonly permissions: string
  readonly event: string
  readonly isFromFork: boolean
}

type TaskKey = { readonly id: number } | { readonly tokenHash: string }

/** Undefined for a task that has ended, or is unknown. */
export async function findRunningTask(db: Db, key: TaskKey): Promise<RunningTask | undefined> {
  const tasks = db
    .selectFrom('action_task')
    .innerJoin('action_job', 'action_job.id', 'action_task.job_id')
    .innerJoin('action_run', 'action_run.id', 'action_job.run_id')
    .innerJoin('repo', 'repo.id', 'action_task.repo_id')
    .select([
      'action_task.id',
      'action_task.job_id',
      'action_job.run_id',
      'action_task.repo_id',
      'repo.owner_id',
      'action_job.permissions',
      'action_run.event',
      'action_run.is_from_fork',
    ])
    .where('action_task.status', '=', 'running')
  const row = await (
    'id' in key ? tasks.where('action_task.id', '=', key.id) : tasks.where('action_task.token_hash', '=', key.tokenHash)
  ).executeTakeFirst()
  return (
    row && {
      id: row.id,
      jobId: row.job_id,
      runId: row.run_id,
      repoId: asId(row.repo_id),
      ownerId: asId(row.owner_id),
      permissions: row.permissions,
      event: row.event,
      isFromFork: row.is_from_fork === 1,
    }
  )
}
