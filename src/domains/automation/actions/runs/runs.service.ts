import type { Core, Services } from '../../../../core/module.ts'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { userQueries } from '../../../accounts/index.ts'
import { type Attempt, findAttempt } from './attempt.store.ts'
import {
  findJob,
  type Job,
  type JobQuery,
  listAllJobsOfRun,
  listJobs,
  listJobsByIds,
  listJobsOfRun,
  listWaitingJobs,
  type WaitingJob,
} from './job.store.ts'
import {
  findRun,
  findRunPayload,
  findRunResult,
  listRuns,
  type ResultQuery,
  type Run,
  type RunFilter,
  type RunScope,
} from './run.store.ts'
import type { RunStatus } from './run-status.policy.ts'
import type { ActionsScope } from '../levels.ts'
import { type JobView, loadJobViews, loadRunViews, loadTaskViews, type RunView, type TaskView } from './run-views.ts'
import { listTasks, type TaskQuery } from './task.store.ts'

interface RunQuery {
  readonly filter: Omit<RunFilter, 'actorId'> & { readonly actor?: string | undefined }
  readonly paging: Paging
}

/** `past` is the record of an attempt before the latest one. */
interface RunAttempt {
  readonly run: Run
  readonly past: Attempt | undefined
}

interface RunDeps extends Pick<Core, 'database' | 'git'> {
  readonly repos: Pick<Services['repos'], 'views'>
}

export type Runs = ReturnType<typeof createRuns>

/** Read access to runs, jobs and tasks (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export function createRuns({ database, git, repos }: RunDeps) {
  const { read } = database
  const jobPage = async ({ items, total }: Page<Job>): Promise<Page<JobView>> => ({
    items: await loadJobViews(read, items),
    total,
  })
  const get = async (repoId: RepoId, id: number): Promise<Run> => requireRun(await findRun(read, repoId, id))
  const getJob = async (repoId: RepoId, id: number): Promise<Job> => requireJob(await findJob(read, repoId, id))

  /** The run in one of its attempts. Throws NotFound. */
  async function getAttempt(repoId: RepoId, id: number, attempt: number): Promise<RunAttempt> {
    const run = await get(repoId, id)
    if (attempt === run.attempt) return { run, past: undefined }
    const past = await findAttempt(read, id, attempt)
    if (past === undefined) throw notFound('the run has no such attempt')
    const { status, startedAt, stoppedAt, triggerActorId } = past
    return { run: { ...run, attempt, status, startedAt, stoppedAt, triggerActorId }, past }
  }

  /** The jobs of an attempt as they ended, sorted by id. */
  async function listPastJobs({ jobs }: Attempt): Promise<Job[]> {
    const stateOf = new Map(jobs.map((job) => [job.id, job]))
    const found = await listJobsByIds(read, [...stateOf.keys()])
    return found.map((job) => ({ ...job, ...stateOf.get(job.id) })).toSorted((a, b) => a.id - b.id)
  }

  return {
    /** Newest first. An actor that does not exist has no runs. */
    async list(scope: RunScope, { filter: { actor, ...filter }, paging }: RunQuery): Promise<Page<RunView>> {
      const user = actor === undefined ? undefined : await userQueries.findByName(read, actor)
      if (actor !== undefined && user === undefined) return { items: [], total: 0 }
      const { items, total } = await listRuns(read, scope, { filter: { ...filter, actorId: user?.id }, paging })
      return { items: await loadRunViews({ read, repos }, scope.viewer, items), total }
    },
    /** Throws NotFound, also for a run of another repository. */
    get,
    getAttempt,
    /** The result of the last run of a workflow on a branch that ended; undefined if there is none. */
    findResult: (repoId: RepoId, wanted: ResultQuery): Promise<RunStatus | undefined> =>
      findRunResult(read, repoId, wanted),
    /** Sorted by id. Throws NotFound. */
    async listJobsOfAttempt(
      { repoId, id, attempt }: { readonly repoId: RepoId; readonly id: number; readonly attempt: number },
      { statuses, order, paging }: JobQuery,
    ): Promise<Page<JobView>> {
      const { past } = await getAttempt(repoId, id, attempt)
      const all = past === undefined ? await listAllJobsOfRun(read, id) : await listPastJobs(past)
      const jobs = all.filter(({ status }) => statuses.length === 0 || statuses.includes(status))
      if (order === 'desc') jobs.reverse()
      const items = jobs.slice(paging.offset, paging.offset + paging.limit)
      return jobPage({ items, total: jobs.length })
    },
    view: async (viewer: Viewer, run: Run): Promise<RunView> =>
      requireView((await loadRunViews({ read, repos }, viewer, [run]))[0]),
    /** Sorted by id. */
    listJobs: async (scope: RunScope, query: JobQuery): Promise<Page<JobView>> =>
      jobPage(await listJobs(read, scope, query)),
    /** The payload of the event that started the run, and whether its ref was deleted since. */
    async loadOrigin({ run, repo: { repo } }: RunView): Promise<{ payload: string; isRefDeleted: boolean }> {
      const refs = await git.open(repo).refs.snapshot()
      return { payload: await findRunPayload(read, run.id), isRefDeleted: refs.get(run.ref) === undefined }
    },
    /** Jobs of the level that wait for a runner; with `labels`, those that need no others. */
    listWaiting: (
      scope: ActionsScope,
      query: { readonly labels: readonly string[] | undefined; readonly paging: Paging },
    ): Promise<Page<WaitingJob>> => listWaitingJobs(read, scope, query),
    /** Sorted by id. Throws NotFound. */
    async listJobsOfRun(
      { repoId, id }: { readonly repoId: RepoId; readonly id: number },
      query: JobQuery,
    ): Promise<Page<JobView>> {
      await get(repoId, id)
      return jobPage(await listJobsOfRun(read, id, query))
    },
    /** Throws NotFound, also for a job of another repository. */
    getJob: async (repoId: RepoId, id: number): Promise<JobView> =>
      requireView((await loadJobViews(read, [await getJob(repoId, id)]))[0]),
    /** All attempts of all jobs, newest first. */
    async listTasks(repoId: RepoId, query: TaskQuery): Promise<Page<TaskView>> {
      const { items, total } = await listTasks(read, repoId, query)
      return { items: await loadTaskViews(read, items), total }
    },
  }
}

export function requireRun(run: Run | undefined): Run {
  if (run === undefined) throw errors.runNotFound()
  return run
}

export function requireJob(job: Job | undefined): Job {
  if (job === undefined) throw errors.jobNotFound()
  return job
}

/** Throws NotFound for a row that was deleted between two queries. */
function requireView<T>(view: T | undefined): T {
  if (view === undefined) throw notFound('the run was deleted by another request')
  return view
}
