import type { Services } from '../../../../core/module.ts'
import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { type Repo, type RepoView, repoQueries } from '../../../repositories/index.ts'
import { type User, userQueries } from '../../../accounts/index.ts'
import { type RunPull, loadRunPulls } from './run-pulls.ts'
import { type Job, listJobsByIds } from './job.store.ts'
import { listRunsByIds, type Run } from './run.store.ts'
import { listSteps, listTasksByIds, type Step, type Task } from './task.store.ts'

export interface RunView {
  readonly run: Run
  readonly repo: RepoView
  /** Undefined when the account was deleted. */
  readonly actor: User | undefined
  /** Who started the latest attempt; undefined when the account was deleted. */
  readonly triggerActor: User | undefined
  /** The one that the run tests, or the open ones within the repository whose head is its branch. */
  readonly pulls: readonly RunPull[]
}

export interface JobView {
  readonly job: Job
  readonly run: Run
  readonly repo: Repo
  /** The latest task; undefined before a runner has taken the job. */
  readonly task: Task | undefined
  readonly steps: readonly Step[]
}

/** A task with its job and run. */
export interface TaskView {
  readonly task: Task
  readonly job: Job
  readonly run: Run
}

interface ViewDeps {
  readonly read: Db
  readonly repos: Pick<Services['repos'], 'views'>
}

const byId = <T extends { readonly id: number }>(items: readonly T[]): ReadonlyMap<number, T> =>
  new Map(items.map((item) => [item.id, item]))

/** Views in the given order, by a fixed number of queries; omits runs that were deleted concurrently. */
export async function loadRunViews(
  { read, repos }: ViewDeps,
  viewer: Viewer,
  runs: readonly Run[],
): Promise<RunView[]> {
  const ids = [...new Set(runs.map(({ repoId }) => repoId))]
  const [views, actors, pullsOf] = await Promise.all([
    repoQueries.listByIds(read, ids).then((found) => repos.views(viewer, found)),
    userQueries.listByIds(read, [...new Set(runs.flatMap(({ actorId, triggerActorId }) => [actorId, triggerActorId]))]),
    loadRunPulls(read, runs),
  ])
  const viewOf = new Map(views.map((view) => [view.repo.id, view]))
  const actorOf = byId(actors)
  return runs.flatMap((run) => {
    const repo = viewOf.get(run.repoId)
    return repo === undefined
      ? []
      : [
          {
            run,
            repo,
            actor: actorOf.get(run.actorId),
            triggerActor: actorOf.get(run.triggerActorId),
            pulls: pullsOf(run),
          },
        ]
  })
}

/** Views in the given order, by a fixed number of queries; omits jobs that were deleted concurrently. */
export async function loadJobViews(read: Db, jobs: readonly Job[]): Promise<JobView[]> {
  const taskIds = jobs.map(({ taskId }) => taskId).filter((id) => id !== 0)
  const [runs, repos, tasks, steps] = await Promise.all([
    listRunsByIds(
      read,
      jobs.map(({ runId }) => runId),
    ).then(byId),
    repoQueries.listByIds(read, [...new Set(jobs.map(({ repoId }) => asId<Repo['id']>(repoId)))]).then(byId),
    listTasksByIds(read, taskIds).then(byId),
    listSteps(read, taskIds),
  ])
  const stepsOf = Map.groupBy(steps, ({ taskId }) => taskId)
  return jobs.flatMap((job) => {
    const [run, repo] = [runs.get(job.runId), repos.get(job.repoId)]
    if (run === undefined || repo === undefined) return []
    return [{ job, run, repo, task: tasks.get(job.taskId), steps: stepsOf.get(job.taskId) ?? [] }]
  })
}

/** Views in the given order, by a fixed number of queries; omits tasks that were deleted concurrently. */
export async function loadTaskViews(read: Db, tasks: readonly Task[]): Promise<TaskView[]> {
  const jobs = await listJobsByIds(
    read,
    tasks.map(({ jobId }) => jobId),
  )
  const runs = byId(
    await listRunsByIds(
      read,
      jobs.map(({ runId }) => runId),
    ),
  )
  const jobOf = byId(jobs)
  return tasks.flatMap((task) => {
    const job = jobOf.get(task.jobId)
    const run = job && runs.get(job.runId)
    return run === undefined ? [] : [{ task, job: job!, run }]
  })
}
