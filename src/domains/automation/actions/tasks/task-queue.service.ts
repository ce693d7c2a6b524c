import type { Core } from '../../../../core/module.ts'
import { LockTable } from '../../../../core/platform/concurrency/lock-table.ts'
import { randomHex, sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { listJobsByIds, type Job } from '../runs/job.store.ts'
import type { RunProgress } from '../runs/run-progress.service.ts'
import { lockRun } from '../runs/run.store.ts'
import { insertTask } from '../runs/task.store.ts'
import type { CallingRunner } from '../runners/runner-login.ts'
import { readHandle } from './job-handle.ts'
import { hasTask, insertSteps, listTasksOfRequest, renewToken } from './runner-task.store.ts'
import {
  countRunningJobs,
  findFreeJob,
  listWaitingGroups,
  listWaiting,
  type WaitingGroup,
} from './waiting-jobs.store.ts'

export interface TakenTask {
  readonly id: number
  /** The job token, which is stored by its hash only. */
  readonly token: string
}

export interface TaskRequest {
  /** The counter that the runner got with its last answer; 0 after it got a task. */
  readonly queueVersion: number
  /** How many tasks it wants. */
  readonly capacity: number
  /** The same for a repeated request; empty if the runner sends none. */
  readonly requestKey: string
}

export interface TaskAnswer {
  readonly tasks: readonly TakenTask[]
  readonly queueVersion: number
}

interface TaskQueueDeps extends Pick<Core, 'database' | 'clock'> {
  readonly progress: Pick<RunProgress, 'jobStarted'>
}

type JobPlace = Pick<Job, 'id' | 'repoId' | 'runId'>

const TOKEN_BYTES = 20
const MAX_TASKS = 50
/** Jobs of a group that are tried before the next group. */
const BATCH = 20

export type TaskQueue = ReturnType<typeof createTaskQueue>

/** Gives waiting jobs to runners, each to one (behaviour/actions#runner-protocol). */
export function createTaskQueue({ database, clock, progress }: TaskQueueDeps) {
  // Of this process alone: runners that ask together would all try the same job. The lock of the run decides.
  const turns = new LockTable()

  /** Undefined for a job that no longer waits. */
  async function start(runner: CallingRunner, waiting: JobPlace, requestKey: string): Promise<TakenTask | undefined> {
    return database.transaction(async (tx) => {
      const run = await lockRun(tx, waiting.repoId, waiting.runId)
      const job = run && (await findFreeJob(tx, waiting.id))
      if (job === undefined) return undefined
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

  /** Owners with the fewest running jobs first, so that none of them keeps the others waiting. */
  async function groupsInOrder(runner: CallingRunner): Promise<WaitingGroup[]> {
    const offered = new Set(runner.labels)
    const groups = (await listWaitingGroups(database.read, runner)).filter(({ labels }) =>
      labels.every((label) => offered.has(label)),
    )
    if (groups.length < 2) return groups
    const running = await countRunningJobs(database.read)
    const load = ({ ownerId }: WaitingGroup): number => running.get(ownerId) ?? 0
    return groups.sort((a, b) => load(a) - load(b) || a.since - b.since)
  }

  async function pick(runner: CallingRunner, key: string): Promise<TakenTask | undefined> {
    for (const group of await groupsInOrder(runner)) {
      for (const { id, runId } of await listWaiting(database.read, group, BATCH)) {
        const task = await start(runner, { id, runId, repoId: group.repoId }, key)
        if (task !== undefined) return task
      }
    }
    return undefined
  }

  /** Tasks of an earlier request with the key, whose answer was lost, with new tokens. */
  async function repeat(runner: CallingRunner, requestKey: string): Promise<readonly TakenTask[]> {
    if (requestKey === '') return []
    const ids = await listTasksOfRequest(database.read, runner.id, requestKey)
    if (ids.length === 0) return []
    const tasks = ids.map((id) => ({ id, token: randomHex(TOKEN_BYTES) }))
    await database.transaction(async (tx) => {
      for (const { id, token } of tasks) await renewToken(tx, id, sha256Hex(token))
    })
    return tasks
  }

  const mayTake = async (runner: CallingRunner): Promise<boolean> =>
    !runner.isDisabled && !(runner.isEphemeral && (await hasTask(database.read, runner.id)))

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const release = await turns.lock('pick', 'exclusive')
    try {
      return await work()
    } finally {
      release()
    }
  }

  return {
    /** Tasks for a runner that polls. An unchanged counter means that nothing has begun to wait since. */
    async fetch(runner: CallingRunner, request: TaskRequest): Promise<TaskAnswer> {
      const { queueVersion } = runner
      if (request.queueVersion === queueVersion) return { tasks: [], queueVersion }
      // NOTE: the counter that it has must look old when the runner is enabled.
      if (runner.isDisabled) return { tasks: [], queueVersion: Math.max(request.queueVersion, 1) }
      const again = await repeat(runner, request.requestKey)
      if (again.length > 0) return { tasks: again, queueVersion }
      const wanted = runner.isEphemeral ? 1 : Math.min(Math.max(request.capacity, 1), MAX_TASKS)
      return inTurn(async () => {
        const tasks: TakenTask[] = []
        while (tasks.length < wanted && (await mayTake(runner))) {
          const task = await pick(runner, request.requestKey)
          if (task === undefined) break
          tasks.push(task)
        }
        return { tasks, queueVersion }
      })
    },

    /** The task of the job attempt with this handle, if it waits and the runner may have it. */
    async fetchSingle(runner: CallingRunner, handle: string, requestKey: string): Promise<TaskAnswer> {
      const { queueVersion } = runner
      const again = await repeat(runner, requestKey)
      if (again.length > 0) return { tasks: again, queueVersion }
      const named = readHandle(handle)
      const [job] = named === undefined ? [] : await listJobsByIds(database.read, [named.jobId])
      if (job?.status !== 'waiting' || job.attempt + 1 !== named!.attempt) return { tasks: [], queueVersion }
      return inTurn(async () => {
        const groups = await groupsInOrder(runner)
        const isOffered = groups.some(
          ({ repoId, labels }) => repoId === job.repoId && labels.join('\n') === job.labels.join('\n'),
        )
        const task = isOffered && (await mayTake(runner)) ? await start(runner, job, requestKey) : undefined
        return { tasks: task === undefined ? [] : [task], queueVersion }
      })
    },
  }
}
