import { LockTable } from '../../../../core/platform/concurrency/lock-table.ts'
import { randomHex, sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { listJobsByIds } from '../runs/job.store.ts'
import type { CallingRunner } from '../runners/runner-login.ts'
import { readHandle } from './job-handle.ts'
import { hasTask, listTasksOfRequest, renewToken } from './runner-task.store.ts'
import { createTaskStart, type StartedTask, TOKEN_BYTES, type TaskStartDeps } from './task-start.ts'
import { countRunningJobs, listWaitingGroups, listWaiting, type WaitingGroup } from './waiting-jobs.store.ts'

export interface TaskRequest {
  /** The counter that the runner got with its last answer; 0 after it got a task. */
  readonly queueVersion: number
  /** How many more tasks it can run. */
  readonly capacity: number
  /** The same for a repeated request; empty if the runner sends none. */
  readonly requestKey: string
}

export interface TaskAnswer {
  readonly tasks: readonly StartedTask[]
  readonly queueVersion: number
}

const MAX_TASKS = 50
/** Jobs of a group that are tried before the next group. */
const BATCH = 20

export type TaskQueue = ReturnType<typeof createTaskQueue>

/** Assigns each waiting job to one runner (behaviour/actions#runner-protocol). */
export function createTaskQueue({ database, clock, progress, settings }: TaskStartDeps) {
  const { start, isFull } = createTaskStart({ database, clock, progress, settings })
  // Of this process alone: runners that ask together would all try the same job. The lock of the run decides.
  const turns = new LockTable()

  async function listOffered(runner: CallingRunner): Promise<WaitingGroup[]> {
    const offered = new Set(runner.labels)
    const groups = await listWaitingGroups(database.read, runner)
    return groups.filter(({ labels }) => labels.every((label) => offered.has(label)))
  }

  /**
   * Owners with the fewest running jobs first, so that none of them delays the others. Returns `held` if there are only
   * jobs of owners at the limit, or other runners have taken all that were tried.
   */
  async function pick(runner: CallingRunner, key: string): Promise<StartedTask | 'held' | undefined> {
    const groups = await listOffered(runner)
    const needsLoads = groups.length > 1 || (groups.length === 1 && settings.maxRunningPerOwner > 0)
    const running = needsLoads ? await countRunningJobs(database.read) : new Map<number, number>()
    const load = ({ ownerId }: WaitingGroup): number => running.get(ownerId) ?? 0
    const free = groups.filter(({ ownerId }) => !isFull(running, ownerId))
    let isHeld = free.length < groups.length
    for (const group of free.sort((a, b) => load(a) - load(b) || a.since - b.since || a.jobId - b.jobId)) {
      const task = await pickOf(group, runner, key)
      if (task === 'held') isHeld = true
      else if (task !== undefined) return task
    }
    return isHeld ? 'held' : undefined
  }

  async function pickOf(group: WaitingGroup, runner: CallingRunner, key: string): ReturnType<typeof start> {
    const { repoId, ownerId } = group
    const tried = await listWaiting(database.read, group, BATCH)
    for (const { id, runId } of tried) {
      const task = await start(runner, { id, runId, repoId, ownerId }, key)
      if (task !== undefined) return task
    }
    // NOTE: of other processes. More may wait, for which no counter will rise.
    return tried.length === BATCH ? 'held' : undefined
  }

  /** Tasks of an earlier request with the key, whose answer was lost, with new tokens. */
  async function repeat(runner: CallingRunner, requestKey: string): Promise<readonly StartedTask[]> {
    if (requestKey === '') return []
    const ids = await listTasksOfRequest(database.read, runner.id, requestKey)
    if (ids.length === 0) return []
    const tasks = ids.map((id) => ({ id, token: randomHex(TOKEN_BYTES) }))
    await database.transaction(async (tx) => {
      for (const { id, token } of tasks) await renewToken(tx, id, sha256Hex(token))
    })
    return tasks
  }

  const mayRunJobs = async (runner: CallingRunner): Promise<boolean> =>
    !runner.isDisabled && !(runner.isEphemeral && (await hasTask(database.read, runner.id)))

  async function serialized<T>(work: () => Promise<T>): Promise<T> {
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
      // The counter that looks old in the next request, when the runner is enabled or has a place, or an owner is below
      // the limit.
      const oldVersion = Math.max(request.queueVersion, 1)
      if (runner.isDisabled) return { tasks: [], queueVersion: oldVersion }
      const again = await repeat(runner, request.requestKey)
      if (again.length > 0) return { tasks: again, queueVersion }
      if (request.capacity < 1) return { tasks: [], queueVersion: oldVersion }
      const wanted = runner.isEphemeral ? 1 : Math.min(request.capacity, MAX_TASKS)
      return serialized(async () => {
        const tasks: StartedTask[] = []
        while (tasks.length < wanted && (await mayRunJobs(runner))) {
          const task = await pick(runner, request.requestKey)
          if (task === 'held') return { tasks, queueVersion: oldVersion }
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
      return serialized(async () => {
        const group = (await listOffered(runner)).find(
          ({ repoId, labels }) => repoId === job.repoId && labels.join('\n') === job.labels.join('\n'),
        )
        const { id, runId, repoId } = job
        const task =
          group && (await mayRunJobs(runner))
            ? await start(runner, { id, runId, repoId, ownerId: group.ownerId }, requestKey)
            : undefined
        return { tasks: task === undefined || task === 'held' ? [] : [task], queueVersion }
      })
    },
  }
}
