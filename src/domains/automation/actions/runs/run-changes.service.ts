import type { Core } from '../../../../core/module.ts'
import type { Actor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { StoredFiles } from '../stored-files.ts'
import { raiseQueues } from '../runners/runner.store.ts'
import { listDisabledWorkflows } from '../workflows/workflow-state.store.ts'
import { countOpenJobs, listAllJobsOfRun, resetJobs } from './job.store.ts'
import { decideRerun, type RerunChoice } from './rerun.policy.ts'
import { aggregateStatus } from './run-status.policy.ts'
import { deleteRun, lockRun, type Run, updateRun } from './run.store.ts'
import { requireRun } from './runs.service.ts'

interface RunOfRepo {
  readonly repo: Repo
  readonly id: number
}

interface RunChangeDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly files: Pick<StoredFiles, 'releaseOfRun'>
}

export type RunChanges = ReturnType<typeof createRunChanges>

/** Deleting and rerunning runs (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export function createRunChanges({ database, clock, events, files }: RunChangeDeps) {
  const originOf = (actor: Actor, { repoId }: Run) => ({ actor, repoId, at: clock.now() })

  return {
    /** Deletes a run with its jobs, logs and artifacts. Throws NotFound, and BadRequest while a job is not final. */
    delete: (actor: Actor, { repo, id }: RunOfRepo): Promise<void> =>
      database.transaction(async (tx) => {
        const run = await lockDone(tx, repo, id)
        await files.releaseOfRun(tx, id)
        await deleteRun(tx, id)
        await events.append(tx, 'action_run.deleted', originOf(actor, run), payloadOfRun(run))
      }),

    /**
     * Reruns jobs and the jobs that need them; does nothing when none is selected. Throws NotFound, also for a job of
     * another run, and BadRequest while a job is not final or when the workflow is disabled.
     */
    rerun: (actor: Actor, { repo, id }: RunOfRepo, choice: RerunChoice): Promise<Run> =>
      database.transaction(async (tx) => {
        const at = clock.now()
        const run = await lockDone(tx, repo, id)
        if ((await listDisabledWorkflows(tx, repo.id)).includes(run.workflow)) throw badRequest('workflow is disabled')
        const jobs = await listAllJobsOfRun(tx, id)
        if (typeof choice === 'object' && !jobs.some((job) => job.id === choice.jobId)) throw errors.jobNotFound()
        const again = decideRerun(jobs, choice)
        if (again.size === 0) return run
        for (const status of ['waiting', 'blocked'] as const) {
          const ids = [...again].flatMap(([jobId, start]) => (start === status ? [jobId] : []))
          await resetJobs(tx, ids, { status, at })
        }
        const status = aggregateStatus(jobs.map((job) => again.get(job.id) ?? job.status))
        await updateRun(tx, id, { status, started_at: 0, stopped_at: 0, updated_at: at })
        await raiseQueues(tx, repo)
        const changed = [...again].map(([jobId, start]) => ({ id: jobId, status: start }))
        const payload = { ...payloadOfRun(run), status, jobs: changed }
        await events.append(tx, 'action_run.rerun', originOf(actor, run), payload)
        return { ...run, status, startedAt: 0, stoppedAt: 0 }
      }),
  }
}

const payloadOfRun = (run: Run) => ({
  repo_id: run.repoId,
  run_id: run.id,
  number: run.number,
  workflow: run.workflow,
})

/** NOTE: checks the jobs instead of the run: one cancelled job makes the run cancelled while others still run. */
async function lockDone(tx: Tx, repo: Repo, id: number): Promise<Run> {
  const run = requireRun(await lockRun(tx, repo.id, id))
  if ((await countOpenJobs(tx, id)) > 0) throw badRequest('this workflow run is not done')
  return run
}
