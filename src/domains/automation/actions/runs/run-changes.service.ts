import type { Core } from '../../../../core/module.ts'
import type { Actor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { badRequest, conflict } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { StoredFiles } from '../stored-files.ts'
import { raiseQueues } from '../runners/runner.store.ts'
import { lockWorkflows } from '../workflows/workflow-state.store.ts'
import { insertAttempt } from './attempt.store.ts'
import { countOpenJobs, type Job, listAllJobsOfRun, resetJobs } from './job.store.ts'
import { replaceLateJobs } from './late-jobs.ts'
import { decideRerun, type RerunChoice } from './rerun.policy.ts'
import type { RunProgress } from './run-progress.service.ts'
import { aggregateStatus } from './run-status.policy.ts'
import { deleteRun, findRun, lockRun, type Run, updateRun } from './run.store.ts'
import { requireRun } from './runs.service.ts'

interface RunOfRepo {
  readonly repo: Repo
  readonly id: number
}

interface RunChangeDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly files: Pick<StoredFiles, 'releaseOfRun'>
  readonly runProgress: RunProgress
}

export type RunChanges = ReturnType<typeof createRunChanges>

/** Deleting, cancelling, approving and rerunning runs (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export function createRunChanges({ database, clock, events, files, runProgress }: RunChangeDeps) {
  const originOf = (actor: Actor, { repoId }: Run) => ({ actor, repoId, at: clock.now() })
  const read = async (repo: Repo, id: number): Promise<Run> => requireRun(await findRun(database.read, repo.id, id))

  return {
    /** Deletes a run with its jobs, logs and artifacts. Throws NotFound, and BadRequest while a job is not final. */
    delete: (actor: Actor, { repo, id }: RunOfRepo): Promise<void> =>
      database.transaction(async (tx) => {
        const run = await lockDone(tx, repo, id)
        await files.releaseOfRun(tx, id)
        await deleteRun(tx, id)
        await events.append(tx, 'action_run.deleted', originOf(actor, run), payloadOfRun(run))
      }),

    /** Cancels the jobs that have not ended; returns whether there were any. Throws NotFound. */
    cancel: (actor: Actor, { repo, id }: RunOfRepo, isForced: boolean): Promise<boolean> =>
      database.transaction(async (tx) => {
        const run = requireRun(await lockRun(tx, repo.id, id))
        if ((await countOpenJobs(tx, id)) === 0) return false
        await runProgress.cancel(tx, run, await listAllJobsOfRun(tx, id), { actor, isForced })
        return true
      }),

    /**
     * Starts a run that waits for approval; does nothing for one already approved. Throws NotFound, and Conflict for
     * others.
     */
    async approve(actor: Actor, { repo, id }: RunOfRepo): Promise<Run> {
      await database.transaction(async (tx) => {
        await lockWorkflows(tx, repo.id)
        const run = requireRun(await lockRun(tx, repo.id, id))
        if (!run.needsApproval) throw conflict('this workflow run never waited for an approval')
        if (!run.isHeld) return
        await updateRun(tx, id, { approver_id: actor.account.id, updated_at: clock.now() })
        await events.append(tx, 'action_run.approved', originOf(actor, run), payloadOfRun(run))
        await joinGroup(tx, run)
        await runProgress.advance(tx, repo.id, id)
      })
      return read(repo, id)
    },

    /**
     * Reruns jobs and the jobs that need them; does nothing when none is selected. Throws NotFound, also for a job of
     * another run, and BadRequest while a job is not final or when the workflow is disabled.
     */
    async rerun(actor: Actor, { repo, id }: RunOfRepo, choice: RerunChoice): Promise<Run> {
      await database.transaction(async (tx) => {
        const disabled = await lockWorkflows(tx, repo.id)
        const run = await lockDone(tx, repo, id)
        if (disabled.includes(run.workflow)) throw badRequest('workflow is disabled')
        const jobs = await listAllJobsOfRun(tx, id)
        if (typeof choice === 'object' && !jobs.some((job) => job.id === choice.jobId)) throw errors.jobNotFound()
        const again = decideRerun(jobs, choice)
        if (again.size > 0) await start(tx, { actor, repo, run }, { jobs, again })
      })
      return read(repo, id)
    },
  }

  /** Resets the jobs of a new attempt. */
  async function start(
    tx: Tx,
    { actor, repo, run }: { readonly actor: Actor; readonly repo: Repo; readonly run: Run },
    { jobs, again }: { readonly jobs: readonly Job[]; readonly again: Map<number, 'waiting' | 'blocked'> },
  ): Promise<void> {
    const at = clock.now()
    const waits = await joinGroup(tx, run)
    await insertAttempt(tx, run, jobs)
    const before = new Set(jobs.map(({ id }) => id))
    const current = await replaceLateJobs(tx, { jobs, again }, at)
    const starts = new Map<number, 'waiting' | 'blocked'>()
    for (const { id, concurrencyGroup, late } of current) {
      const start = before.has(id) ? again.get(id) : 'blocked'
      if (start !== undefined) starts.set(id, waits || `${concurrencyGroup}${late}` !== '' ? 'blocked' : start)
    }
    for (const status of ['waiting', 'blocked'] as const) {
      const ids = [...starts].flatMap(([jobId, start]) => (start === status ? [jobId] : []))
      await resetJobs(tx, ids, { status, at })
    }
    const status = aggregateStatus(current.map((job) => starts.get(job.id) ?? job.status))
    const attempt = { attempt: run.attempt + 1, trigger_actor_id: actor.account.id }
    await updateRun(tx, run.id, { ...attempt, status, started_at: 0, stopped_at: 0, updated_at: at })
    const changed = [...starts].map(([jobId, start]) => ({ id: jobId, status: start }))
    const payload = { ...payloadOfRun(run), status, jobs: changed }
    await events.append(tx, 'action_run.rerun', originOf(actor, run), payload)
    if (!waits) await runProgress.advance(tx, repo.id, run.id)
    await raiseQueues(tx, repo)
  }

  /** Returns whether the run has to wait for another one of its group. */
  async function joinGroup(tx: Tx, run: Run): Promise<boolean> {
    const { repoId, concurrencyGroup: group, cancelsInProgress: cancels } = run
    return group !== '' && runProgress.join(tx, repoId, { group, cancels }, { runId: run.id, jobId: 0 })
  }
}

const payloadOfRun = (run: Run) => ({
  repo_id: run.repoId,
  run_id: run.id,
  number: run.number,
  workflow: run.workflow,
})

/** NOTE: checks the jobs, of which one may have begun again. */
async function lockDone(tx: Tx, repo: Repo, id: number): Promise<Run> {
  const run = requireRun(await lockRun(tx, repo.id, id))
  if ((await countOpenJobs(tx, id)) > 0) throw badRequest('this workflow run is not done')
  return run
}
