import { LRUCache } from 'lru-cache'
import type { Core } from '../../../../core/module.ts'
import type { GitRepo } from '../../../../core/git/index.ts'
import { unavailable } from '../../../../core/platform/errors.ts'
import { TaskError, type TaskKind } from '../../../../core/platform/isolation/index.ts'
import type { PlannedJob, Read, RunPlan, Workflow } from './workflow.policy.ts'
import type { LateTask, WorkflowTask } from './workflow.task.ts'

const TASK: TaskKind<WorkflowTask | LateTask, string> = {
  url: new URL('workflow.task.ts', import.meta.url).href,
  deadline: 5000,
}

/** The maximum size of a file, in bytes; larger files are invalid. */
const MAX_FILE = 1024 * 1024
/** The maximum number of characters in the cache of workflows. */
const MAX_CACHED = 4 * 1024 * 1024
/** Milliseconds until a file that was invalid or too slow is parsed again: the machine may have been overloaded. */
const RETRY_MS = 600_000
/** The number of failures to read a file after which it counts as invalid for that time. */
const MAX_FAILURES = 3
/** Milliseconds after a failure in which the file is not read again, twice as many after each further one. */
const PAUSE_MS = 1000
/** The maximum number of files of which failures are counted. */
const MAX_COUNTED = 1000

/** How often a file could not be read, and when it may be tried again. */
interface Failures {
  readonly count: number
  readonly retryAt: number
}

/** The location of a workflow file. `rateLimitKey` names whose share of the readers is used. */
export interface FileSource {
  readonly git: GitRepo
  readonly oid: string
  readonly rateLimitKey: string
}

export type WorkflowReader = ReturnType<typeof createWorkflowReader>

/** Reads workflow files and plans their runs in child processes. */
export function createWorkflowReader({ taskPool, clock }: Pick<Core, 'taskPool' | 'clock'>) {
  // NOTE: never stale in any process: the content of a blob never changes.
  const known = new LRUCache<string, string>({ maxSize: MAX_CACHED })
  // NOTE: each process counts its own failures, which bounds its own work.
  const failures = new LRUCache<string, Failures>({ max: MAX_COUNTED, ttl: RETRY_MS })

  async function inChild(task: Omit<WorkflowTask, 'text'>, source: FileSource): Promise<string> {
    const { git, oid, rateLimitKey: caller } = source
    if ((failures.get(keyOf(source))?.retryAt ?? 0) > clock.now()) throw unread()
    const { size } = await git.objects.info(oid)
    if (size > MAX_FILE) return invalid('the file is larger than 1 MiB')
    const text = (await git.objects.blob(oid)).toString('utf8')
    return run({ ...task, text }, caller, () => countFailure(source))
  }

  /** `fail` counts a task that took too much time; returns how often that has happened. */
  async function run(task: WorkflowTask | LateTask, rateLimitKey: string, fail: () => number): Promise<string> {
    const start = (): Promise<string> => taskPool.run(TASK, task, rateLimitKey)
    try {
      // NOTE: the process may have been slow on a busy machine, or short of memory because of the previous task.
      return await start().catch((error: unknown) => {
        if (error instanceof TaskError && error.reason !== 'closing' && error.reason !== 'failed') return start()
        throw error
      })
    } catch (error) {
      if (!(error instanceof TaskError)) throw error
      if (error.reason === 'memory' || error.reason === 'failed') return invalid('reading it takes too much memory')
      if (error.reason !== 'closing' && fail() >= MAX_FAILURES) return invalid('reading it takes too much time')
      throw unread().causedBy(error)
    }
  }

  function countFailure(source: FileSource): number {
    const count = (failures.get(keyOf(source))?.count ?? 0) + 1
    failures.set(keyOf(source), { count, retryAt: clock.now() + PAUSE_MS * 2 ** (count - 1) })
    return count
  }

  return {
    /**
     * Reads a workflow; returns the problems of an invalid one. Throws Unavailable for one that could not be read this
     * time, and counts it as invalid after a few times.
     */
    async read(source: FileSource): Promise<Read<Workflow>> {
      const key = keyOf(source)
      const text = known.get(key) ?? (await inChild({}, source))
      const result = JSON.parse(text) as Read<Workflow>
      known.set(key, text, { size: text.length + key.length, ttl: 'found' in result ? 0 : RETRY_MS })
      return result
    },
    /** Plans the run of a workflow, as `read`; undefined when the event does not pass the filters. */
    async plan(source: FileSource, plan: NonNullable<WorkflowTask['plan']>): Promise<Read<RunPlan> | undefined> {
      const result = JSON.parse(await inChild({ plan }, source)) as Read<RunPlan> | Record<string, never>
      return 'found' in result || 'invalid' in result ? (result as Read<RunPlan>) : undefined
    },
    /** Plans the jobs of one that could not be planned before the jobs that it needs had ended, as `read`. */
    async planLate(task: LateTask, rateLimitKey: string): Promise<Read<readonly PlannedJob[]>> {
      return JSON.parse(await run(task, rateLimitKey, () => MAX_FAILURES)) as Read<readonly PlannedJob[]>
    },
  }
}

const keyOf = ({ git, oid }: FileSource): string => `${git.storage}:${oid}`

const unread = () => unavailable('the workflow could not be read, try again')

const invalid = (reason: string): string =>
  JSON.stringify({ invalid: { line: 0, place: '', reason } } satisfies Read<never>)
