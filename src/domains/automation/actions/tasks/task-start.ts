import type { Tx } from '../../../../core/db/database.ts'
import type { Core } from '../../../../core/module.ts'
import { randomHex, sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import type { ActionsSettings } from '../actions-settings.ts'
import type { Job } from '../runs/job.store.ts'
import type { RunProgress } from '../runs/run-progress.service.ts'
import { lockRun } from '../runs/run.store.ts'
import { insertTask } from '../runs/task.store.ts'
import type { CallingRunner } from '../runners/runner-login.ts'
import { lockQueueOfOwner } from '../runners/runner.store.ts'
import { insertSteps } from './runner-task.store.ts'
import { countRunningJobs, findFreeJob, type WaitingGroup } from './waiting-jobs.store.ts'

export interface StartedTask {
  readonly id: number
  /** The job token, which is stored by its hash only. */
  readonly token: string
}

export interface TaskStartDeps extends Pick<Core, 'database' | 'clock'> {
  readonly progress: Pick<RunProgress, 'jobStarted'>
  readonly settings: Pick<ActionsSettings, 'maxRunningPerOwner'>
}

type JobToStart = Pick<Job, 'id' | 'repoId' | 'runId'> & Pick<WaitingGroup, 'ownerId'>

export const TOKEN_BYTES = 20

/** Creates the task of a waiting job, unless its owner already has the maximum number of running jobs. */
export function createTaskStart({ database, clock, progress, settings }: TaskStartDeps) {
  const limit = settings.maxRunningPerOwner

  const isFull = (running: ReadonlyMap<number, number>, ownerId: number): boolean =>
    limit > 0 && (running.get(ownerId) ?? 0) >= limit

  async function lockAndCheckLimit(tx: Tx, ownerId: number): Promise<boolean> {
    if (limit === 0) return true
    await lockQueueOfOwner(tx, ownerId)
    return !isFull(await countRunningJobs(tx), ownerId)
  }

  /** Undefined for a job that no longer waits; `held` when its owner is at the limit. */
  async function start(
    runner: CallingRunner,
    waiting: JobToStart,
    requestKey: string,
  ): Promise<StartedTask | 'held' | undefined> {
    return database.transaction(async (tx) => {
      const run = await lockRun(tx, waiting.repoId, waiting.runId)
      const job = run && (await findFreeJob(tx, waiting.id))
      if (job === undefined) return undefined
      if (!(await lockAndCheckLimit(tx, waiting.ownerId))) return 'held'
      const at = clock.now()
      const token = randomHex(TOKEN_BYTES)
      const attempt = job.attempt + 1
      const id = await insertTask(tx, {
        repo_id: job.repoId,
        job_id: waiting.id,
        runner_id: runner.id,
        runner_name: runner.name,
        attempt,
        status: 'running',
        token_hash: sha256Hex(token),
        request_key: requestKey,
        started_at: at,
        created_at: at,
        updated_at: at,
      })
      await insertSteps(tx, id, job.steps)
      await progress.jobStarted(tx, run!, { id: waiting.id, taskId: id, attempt })
      return { id, token }
    })
  }

  return { start, isFull }
}
