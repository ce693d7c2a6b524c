import type { Run, RunStatus } from '../../src/domains/automation/index.ts'
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { App } from '../../src/app/modules.ts'
import { sha256Hex } from '../../src/core/platform/crypto/crypto.ts'
import { type ActionsScope, scopeColumns } from '../../src/domains/automation/actions/levels.ts'
import type { RepoId } from '../../src/core/platform/crypto/ids.ts'
import { repoQueries } from '../../src/domains/repositories/index.ts'
import { insertRunner, raiseQueues } from '../../src/domains/automation/actions/runners/runner.store.ts'
import { insertJobs, listJobsByIds, updateJob } from '../../src/domains/automation/actions/runs/job.store.ts'
import { createRunProgress } from '../../src/domains/automation/actions/runs/run-progress.service.ts'
import { insertRun, lockRun } from '../../src/domains/automation/actions/runs/run.store.ts'
import { aggregateStatus, isDone } from '../../src/domains/automation/actions/runs/run-status.policy.ts'
import { createTaskChanges } from '../../src/domains/automation/actions/runs/task-changes.service.ts'
import { insertLogLines, insertStep, insertTask } from '../../src/domains/automation/actions/runs/task.store.ts'

interface NewRunner {
  readonly name?: string
  readonly labels?: readonly string[]
  readonly isEphemeral?: boolean
  readonly capabilities?: readonly string[]
  readonly onlineAt?: number
  readonly activeAt?: number
}

interface NewRun {
  readonly workflow?: string
  readonly title?: string
  readonly event?: string
  readonly ref?: string
  readonly oid?: string
  readonly actorId?: number
  /** JSON. */
  readonly payload?: string
  readonly isFromFork?: boolean
  /** Jobs by key; a name that is absent is the key. */
  readonly jobs?: Readonly<Record<string, NewJob>>
}

interface NewJob {
  readonly status: RunStatus
  readonly name?: string
  readonly needs?: readonly string[]
  readonly labels?: readonly string[]
}

interface NewTask {
  readonly runnerId?: number
  readonly attempt?: number
  readonly status?: RunStatus
  readonly steps?: readonly string[]
  /** Lines of the log, as they were sent at once. */
  readonly log?: readonly string[]
  /** A log that is stored whole. */
  readonly sealed?: { readonly hash: string; readonly size: number; readonly encoding?: 'zstd' }
  /** The job token. */
  readonly token?: string
}

/** Milliseconds at which everything here was made, began and stopped. */
export const MADE_AT = { created: 1_000_000, started: 2_000_000, stopped: 3_000_000 } as const

const started = (status: RunStatus) => ({
  started_at: status === 'waiting' || status === 'blocked' ? 0 : MADE_AT.started,
  stopped_at: isDone(status) ? MADE_AT.stopped : 0,
  created_at: MADE_AT.created,
  updated_at: MADE_AT.created,
})

/** Rows that runners and events write, made by the stores. */
export const createActionsFactory = ({ database }: Pick<App, 'database'>) => ({
  /** A run with its jobs; the ids of these are in the order given. */
  run: (
    repoId: RepoId,
    {
      workflow = 'ci.yml',
      title = 'A commit',
      event = 'push',
      ref = 'refs/heads/main',
      oid = 'a'.repeat(40),
      actorId = -1,
      payload = '{}',
      isFromFork = false,
      jobs = { build: { status: 'success' } },
    }: NewRun = {},
  ): Promise<{ readonly run: Run; readonly jobs: readonly number[] }> =>
    database.transaction(async (tx) => {
      const entries = Object.entries(jobs)
      const status = aggregateStatus(entries.map(([, job]) => job.status))
      const run = await insertRun(tx, {
        repo_id: repoId,
        workflow,
        workflow_path: `.gitea/workflows/${workflow}`,
        title,
        event,
        ref,
        oid,
        actor_id: actorId,
        payload,
        is_from_fork: isFromFork ? 1 : 0,
        status,
        ...started(status),
        started_at: Math.max(...entries.map(([, job]) => started(job.status).started_at)),
      })
      const ids = await insertJobs(
        tx,
        entries.map(([key, job]) => ({
          repo_id: repoId,
          run_id: run.id,
          key,
          name: job.name ?? key,
          needs: JSON.stringify(job.needs ?? []),
          labels: JSON.stringify(job.labels ?? []),
          status: job.status,
          ...started(job.status),
        })),
      )
      if (status === 'waiting') await raiseQueues(tx, (await repoQueries.findById(tx, repoId))!)
      return { run, jobs: ids }
    }),

  /** One more job of a run; returns its id. */
  job: async (run: Pick<Run, 'id' | 'repoId'>, key: string, status: RunStatus = 'success'): Promise<number> => {
    const values = { repo_id: run.repoId, run_id: run.id, key, name: key, status, ...started(status) }
    return (await database.transaction((tx) => insertJobs(tx, [values])))[0]!
  },

  /** What a runner that took a job wrote; returns the id of the task. */
  task: (
    repoId: RepoId,
    jobId: number,
    { runnerId = 7, attempt = 1, status = 'success', steps = [], log = [], sealed, token }: NewTask = {},
  ): Promise<number> =>
    database.transaction(async (tx) => {
      const id = await insertTask(tx, {
        repo_id: repoId,
        job_id: jobId,
        runner_id: runnerId,
        runner_name: `runner ${runnerId}`,
        attempt,
        status,
        log_hash: sealed?.hash ?? '',
        log_encoding: sealed?.encoding ?? '',
        log_text_size: sealed?.size ?? Buffer.byteLength(log.join('')),
        token_hash: token === undefined ? '' : sha256Hex(token),
        log_lines: log.length,
        ...started(status),
      })
      await updateJob(tx, jobId, { task_id: id, attempt })
      for (const [number, name] of steps.entries())
        await insertStep(tx, { task_id: id, number, name, status, started_at: MADE_AT.started, stopped_at: 0 })
      for (const [first_line, line] of log.entries()) await insertLogLines(tx, { task_id: id, first_line, text: line })
      return id
    }),

  /** A runner as it is after it registered; returns its id. */
  runner: async (
    scope: ActionsScope,
    { name = 'runner', labels = [], isEphemeral = false, capabilities = [], ...at }: NewRunner = {},
  ) => {
    const { id } = await database.transaction((tx) =>
      insertRunner(tx, {
        ...scopeColumns(scope),
        uuid: randomUUID(),
        name,
        token_hash: sha256Hex(randomUUID()),
        labels: JSON.stringify(labels),
        is_ephemeral: isEphemeral ? 1 : 0,
        capabilities: JSON.stringify(capabilities),
        online_at: at.onlineAt ?? 0,
        active_at: at.activeAt ?? 0,
        created_at: 1,
        updated_at: 1,
      }),
    )
    return id
  },
})

/** Takes and ends jobs as runners do. */
export const createFakeRunner = ({
  database,
  clock,
  events,
  jobs,
}: Pick<App, 'database' | 'clock' | 'events' | 'jobs'>) => {
  const progress = createRunProgress({ clock, events, jobs, tasks: createTaskChanges({ clock, jobs }) })
  const factory = createActionsFactory({ database })
  const jobOf = async (id: number) => (await listJobsByIds(database.read, [id]))[0]!
  return {
    /** Takes a waiting job; returns the id of the task. */
    async take(id: number, runnerId = 7): Promise<number> {
      const job = await jobOf(id)
      expect(job.status).toBe('waiting')
      const task = await factory.task(job.repoId, id, {
        attempt: job.attempt + 1,
        status: 'running',
        runnerId,
        steps: ['make'],
      })
      await database.transaction(async (tx) =>
        progress.jobStarted(tx, (await lockRun(tx, job.repoId, job.runId))!, {
          id,
          taskId: task,
          attempt: job.attempt + 1,
        }),
      )
      return task
    },
    async end(id: number, status: RunStatus = 'success'): Promise<void> {
      const job = await jobOf(id)
      await database.transaction(async (tx) =>
        progress.jobEnded(tx, (await lockRun(tx, job.repoId, job.runId))!, id, status),
      )
    },
  }
}
