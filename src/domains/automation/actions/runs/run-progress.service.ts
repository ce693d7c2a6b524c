import type { Core } from '../../../../core/module.ts'
import { actorOf } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { repoQueries } from '../../../repositories/index.ts'
import { raiseQueues } from '../runners/runner.store.ts'
import { type Job, listAllJobsOfRun, updateJob } from './job.store.ts'
import { decideReleases } from './run-progress.policy.ts'
import { aggregateStatus, isDone, type RunStatus } from './run-status.policy.ts'
import { lockRun, type Run, updateRun } from './run.store.ts'

/** The account to which what runners report is attributed. */
const JOBS = actorOf(asId(-2))

export type RunProgress = ReturnType<typeof createRunProgress>

/**
 * How the jobs that runners take and end change their runs (behaviour/actions#needs-if-matrix-concurrency-rerun).
 * NOTE: whoever changes jobs locks the run first, then the jobs.
 */
export function createRunProgress({ clock, events }: Pick<Core, 'clock' | 'events'>) {
  async function appendChanges(
    tx: Tx,
    run: Run,
    { jobs, runStatus }: { readonly jobs: ReadonlyMap<number, RunStatus>; readonly runStatus?: RunStatus | undefined },
  ): Promise<void> {
    const payload = { repo_id: run.repoId, run_id: run.id, number: run.number, workflow: run.workflow }
    let changed = runStatus === undefined ? {} : { run_status: runStatus }
    for (const [id, status] of jobs) {
      const origin = { actor: JOBS, repoId: run.repoId, at: clock.now() }
      await events.append(tx, 'action_job.changed', origin, { ...payload, job_id: id, status, ...changed })
      changed = {}
    }
  }

  /** Stores the aggregated status; returns it if it is another one than before. */
  async function updateAggregate(
    tx: Tx,
    run: Run,
    jobs: readonly { status: RunStatus }[],
  ): Promise<RunStatus | undefined> {
    const at = clock.now()
    const status = aggregateStatus(jobs.map((job) => job.status))
    if (status === run.status) return undefined
    await updateRun(tx, run.id, {
      status,
      updated_at: at,
      started_at: run.startedAt === 0 && status === 'running' ? at : run.startedAt,
      stopped_at: isDone(status) ? at : 0,
    })
    return status
  }

  return {
    /** A runner has taken a waiting job. */
    async jobStarted(tx: Tx, job: Job): Promise<void> {
      const run = await lockRun(tx, job.repoId, job.runId)
      if (run === undefined) return
      const at = clock.now()
      await updateJob(tx, job.id, { status: 'running', started_at: at, stopped_at: 0, updated_at: at })
      const runStatus = await updateAggregate(tx, run, await listAllJobsOfRun(tx, run.id))
      await appendChanges(tx, run, { jobs: new Map([[job.id, 'running']]), runStatus })
    },

    /** A job has ended; the jobs that waited for it start to wait for a runner, or are skipped. */
    async jobEnded(tx: Tx, job: Job, status: RunStatus): Promise<void> {
      const run = await lockRun(tx, job.repoId, job.runId)
      if (run === undefined) return
      const at = clock.now()
      await updateJob(tx, job.id, { status, stopped_at: at, updated_at: at })
      const jobs = await listAllJobsOfRun(tx, run.id)
      const releases = decideReleases(jobs)
      for (const [id, next] of releases)
        await updateJob(tx, id, { status: next, stopped_at: isDone(next) ? at : 0, updated_at: at })
      if ([...releases.values()].includes('waiting')) {
        const repo = await repoQueries.findById(tx, job.repoId)
        if (repo !== undefined) await raiseQueues(tx, repo)
      }
      const now = jobs.map((one) => ({ status: releases.get(one.id) ?? one.status }))
      const runStatus = await updateAggregate(tx, run, now)
      await appendChanges(tx, run, { jobs: new Map([[job.id, status], ...releases]), runStatus })
    },
  }
}
