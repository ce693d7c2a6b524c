import type { Core } from '../../../../core/module.ts'
import { type Actor, actorOf } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { repoQueries } from '../../../repositories/index.ts'
import { raiseQueues } from '../runners/runner.store.ts'
import { lockWorkflows } from '../workflows/workflow-state.store.ts'
import { type GroupOwner, listGroupMembers } from './group.store.ts'
import { type Job, listAllJobsOfRun, updateJob } from './job.store.ts'
import { insertLateJobs, type LatePlans } from './late-jobs.ts'
import { decideReady, decideReleases } from './run-progress.policy.ts'
import { aggregateStatus, isDone, type RunStatus } from './run-status.policy.ts'
import { lockRun, type Run, updateRun } from './run.store.ts'
import type { TaskChanges } from './task-changes.service.ts'

/** The account to which reports of runners are attributed. */
const JOBS = actorOf(asId(-2))

type Changes = ReadonlyMap<number, RunStatus>

/** A concurrency group, and whether a new member cancels the ones that have begun. */
export interface Group {
  readonly group: string
  readonly cancels: boolean
}

interface RunProgressDeps extends Pick<Core, 'clock' | 'events' | 'jobs'> {
  readonly tasks: Pick<TaskChanges, 'cancel'>
}

export type RunProgress = ReturnType<typeof createRunProgress>

/**
 * How jobs that runners take and end change their runs (behaviour/actions#needs-if-matrix-concurrency-rerun).
 * NOTE: whoever changes jobs locks the run first, then the jobs. Who changes several runs locks the workflows of the
 * repository before; `advance` and `join` do.
 */
export function createRunProgress({ clock, events, jobs: queue, tasks }: RunProgressDeps) {
  /** Changes jobs of a locked run; the jobs that waited for them start to wait for a runner, or are skipped. */
  async function change(tx: Tx, run: Run, changes: Changes, actor: Actor = JOBS): Promise<void> {
    const at = clock.now()
    const before = await listAllJobsOfRun(tx, run.id)
    const now = before.map((job) => ({ ...job, status: changes.get(job.id) ?? job.status }))
    const released = run.isHeld ? new Map<number, RunStatus>() : decideReleases(now)
    const joining = now.filter(
      ({ id, concurrency, late }) => `${concurrency}${late}` !== '' && released.get(id) === 'waiting',
    )
    for (const { id } of joining) released.delete(id)
    const all = new Map([...changes, ...released])
    for (const [id, status] of all) {
      await updateJob(tx, id, { status, stopped_at: isDone(status) ? at : 0, updated_at: at })
    }
    const after = now.map((job) => ({ ...job, status: released.get(job.id) ?? job.status }))
    const statuses = after.map(({ status }) => status)
    const runStatus = await updateAggregate(tx, run, { statuses, at })
    await appendChanges({ tx, events, run }, all, { actor, at, runStatus })
    if (joining.length > 0) await enqueueAdvance(tx, run)
    await wakeGroups(
      tx,
      run,
      after.filter(({ id, status }) => all.has(id) && isDone(status)),
      statuses.every(isDone),
    )
    if ([...all.values()].includes('waiting')) await raiseQueuesOf(tx, run)
  }

  const enqueueAdvance = (tx: Tx, { id, repoId }: { id: number; repoId: Run['repoId'] }): Promise<void> =>
    queue.enqueue(tx, 'actions.advance', { repo_id: repoId, run_id: id }, { key: String(id) })

  /** Advances the runs that wait for the groups of a run or of its jobs which have ended. */
  async function wakeGroups(tx: Tx, run: Run, ended: readonly Job[], isRunDone: boolean): Promise<void> {
    const groups = new Set(ended.map((job) => job.concurrencyGroup))
    if (isRunDone) groups.add(run.concurrencyGroup)
    groups.delete('')
    for (const group of groups) {
      const members = await listGroupMembers(tx, run.repoId, group, { runId: 0, jobId: 0 })
      for (const { runId, isActive } of members)
        if (!isActive) await enqueueAdvance(tx, { id: runId, repoId: run.repoId })
    }
  }

  async function raiseQueuesOf(tx: Tx, { repoId }: Run): Promise<void> {
    const repo = await repoQueries.findById(tx, repoId)
    if (repo !== undefined) await raiseQueues(tx, repo)
  }

  /**
   * Cancels jobs of a locked run. A runner that ends cancelled jobs itself does so, unless `isForced`: its job stays
   * running until then.
   */
  async function cancel(
    tx: Tx,
    run: Run,
    jobs: readonly Job[],
    { actor, isForced = false }: { readonly actor?: Actor; readonly isForced?: boolean } = {},
  ): Promise<void> {
    const open = jobs.filter(({ status }) => !isDone(status))
    const taskIds = open.filter(({ status }) => status === 'running').map(({ taskId }) => taskId)
    const kept = new Set(await tasks.cancel(tx, taskIds, isForced))
    const ended = open.filter(({ status, taskId }) => status !== 'running' || !kept.has(taskId))
    await change(tx, run, new Map(ended.map(({ id }) => [id, 'cancelled'])), actor)
  }

  /**
   * Adds a run, or a job of it, to a concurrency group: cancels the waiting members, and the running ones if its
   * settings say so. Returns whether it has to wait for one. The workflows of the repository must be locked.
   */
  async function join(tx: Tx, repoId: Run['repoId'], { group, cancels }: Group, owner: GroupOwner): Promise<boolean> {
    for (const { runId, jobId, hasBegun } of await listGroupMembers(tx, repoId, group, owner)) {
      if (hasBegun && !cancels) continue
      const run = await lockRun(tx, repoId, runId)
      const jobs = run === undefined ? [] : await listAllJobsOfRun(tx, runId)
      if (run !== undefined) await cancel(tx, run, jobId === 0 ? jobs : jobs.filter(({ id }) => id === jobId))
    }
    return isBusy(tx, repoId, group, owner)
  }

  const isBusy = async (tx: Tx, repoId: Run['repoId'], group: string, owner: GroupOwner): Promise<boolean> =>
    (await listGroupMembers(tx, repoId, group, owner)).some(({ isActive }) => isActive)

  /** Whether a job that is ready must wait for its group, which it joins if it has not. */
  async function waitsForGroup(tx: Tx, run: Run, job: Job): Promise<boolean> {
    const owner = { runId: run.id, jobId: job.id }
    if (job.concurrency === '')
      return job.concurrencyGroup !== '' && isBusy(tx, run.repoId, job.concurrencyGroup, owner)
    const wanted = JSON.parse(job.concurrency) as Group
    await updateJob(tx, job.id, {
      concurrency: '',
      concurrency_group: wanted.group,
      cancels_in_progress: flag(wanted.cancels),
    })
    return join(tx, run.repoId, wanted, owner)
  }

  return {
    join,
    cancel,
    /** A runner has taken a waiting job of a locked run. NOTE: that releases no other job, so none of them is read. */
    async jobStarted(tx: Tx, run: Run, { id, taskId, attempt }: Pick<Job, 'attempt' | 'id' | 'taskId'>): Promise<void> {
      const at = clock.now()
      const times = { started_at: at, stopped_at: 0, updated_at: at }
      await updateJob(tx, id, { status: 'running', task_id: taskId, attempt, ...times })
      const runStatus = await updateAggregate(tx, run, { statuses: [run.status, 'running'], at })
      await appendChanges({ tx, events, run }, new Map([[id, 'running']]), { actor: JOBS, at, runStatus })
    },

    /** A job of a locked run has ended; the jobs that waited for it start to wait for a runner, or are skipped. */
    jobEnded: (tx: Tx, run: Run, jobId: number, status: RunStatus): Promise<void> =>
      change(tx, run, new Map([[jobId, status]])),

    /**
     * Starts the blocked jobs of a run that nothing holds any longer: no approval, no need and no group. Those that are
     * planned late start with their plans.
     */
    async advance(tx: Tx, repoId: Run['repoId'], runId: number, plans: LatePlans = new Map()): Promise<void> {
      await lockWorkflows(tx, repoId)
      const run = await lockRun(tx, repoId, runId)
      if (run === undefined || run.isHeld) return
      const { concurrencyGroup: group, startedAt } = run
      if (group !== '' && startedAt === 0 && (await isBusy(tx, repoId, group, { runId, jobId: 0 }))) return
      const changes = new Map<number, RunStatus>(await insertLateJobs(tx, run, plans, clock.now()))
      for (const [job, status] of decideReady(await listAllJobsOfRun(tx, runId))) {
        if (changes.has(job.id)) continue
        if (status === 'waiting' && job.late !== '') await enqueueAdvance(tx, run)
        else if (status === 'skipped' || !(await waitsForGroup(tx, run, job))) changes.set(job.id, status)
      }
      // NOTE: joining a group may have cancelled other jobs of the run.
      const current = await lockRun(tx, repoId, runId)
      if (current !== undefined && changes.size > 0) await change(tx, current, changes)
    },
  }
}

/** Stores the aggregated status. Returns it if the run begins or ends by it. */
async function updateAggregate(
  tx: Tx,
  run: Run,
  { statuses, at }: { statuses: readonly RunStatus[]; at: number },
): Promise<RunStatus | undefined> {
  const status = aggregateStatus(statuses)
  if (status === run.status) return undefined
  await updateRun(tx, run.id, {
    status,
    updated_at: at,
    started_at: run.startedAt === 0 && status === 'running' ? at : run.startedAt,
    stopped_at: isDone(status) ? at : 0,
  })
  return isDone(status) || (status === 'running' && run.startedAt === 0) ? status : undefined
}

/** `runStatus` is the new status of the run, if it has begun or ended. */
async function appendChanges(
  { tx, events, run }: { readonly tx: Tx; readonly events: Core['events']; readonly run: Run },
  jobs: Changes,
  { actor, at, runStatus }: { readonly actor: Actor; readonly at: number; readonly runStatus: RunStatus | undefined },
): Promise<void> {
  const payload = { repo_id: run.repoId, run_id: run.id, number: run.number, workflow: run.workflow }
  let changed = runStatus === undefined ? {} : { run_status: runStatus }
  for (const [id, status] of jobs) {
    const origin = { actor, repoId: run.repoId, at }
    await events.append(tx, 'action_job.changed', origin, { ...payload, job_id: id, status, ...changed })
    changed = {}
  }
}
