import type { Db, Tx } from '../../../../core/db/database.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Job } from './job.store.ts'
import type { RunStatus } from './run-status.policy.ts'
import type { Run } from './run.store.ts'

/** The state of a job at the end of an attempt. */
type PastJob = Pick<Job, 'id' | 'attempt' | 'taskId' | 'status' | 'startedAt' | 'stoppedAt'>

/** An attempt of a run before the latest one. Times are epoch milliseconds, 0 for never. */
export interface Attempt {
  readonly attempt: number
  /** The account that started it. */
  readonly triggerActorId: UserId
  readonly status: RunStatus
  readonly startedAt: number
  readonly stoppedAt: number
  readonly jobs: readonly PastJob[]
}

/** Records the attempt that ends with a rerun. */
export async function insertAttempt(tx: Tx, run: Run, jobs: readonly Job[]): Promise<void> {
  const past = jobs.map(({ id, attempt, taskId, status, startedAt, stoppedAt }): PastJob => {
    return { id, attempt, taskId, status, startedAt, stoppedAt }
  })
  await tx
    .insertInto('action_attempt')
    .values({
      run_id: run.id,
      attempt: run.attempt,
      trigger_actor_id: run.triggerActorId,
      status: run.status,
      started_at: run.startedAt,
      stopped_at: run.stoppedAt,
      jobs: JSON.stringify(past),
    })
    .execute()
}

export async function findAttempt(db: Db, runId: number, attempt: number): Promise<Attempt | undefined> {
  const row = await db
    .selectFrom('action_attempt')
    .selectAll()
    .where('run_id', '=', runId)
    .where('attempt', '=', attempt)
    .executeTakeFirst()
  return (
    row && {
      attempt: row.attempt,
      triggerActorId: asId(row.trigger_actor_id),
      status: row.status,
      startedAt: row.started_at,
      stoppedAt: row.stopped_at,
      jobs: JSON.parse(row.jobs) as PastJob[],
    }
  )
}
