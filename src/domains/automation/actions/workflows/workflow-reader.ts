import { LRUCache } from 'lru-cache'
import type { GitRepo } from '../../../../core/git/index.ts'
import { unavailable } from '../../../../core/platform/errors.ts'
import { TaskError, type TaskKind, type TaskPool } from '../../../../core/platform/isolation/index.ts'
import type { Read, RunPlan, Workflow } from './workflow.policy.ts'
import type { WorkflowTask } from './workflow.task.ts'

const TASK: TaskKind<WorkflowTask, string> = {
  url: new URL('workflow.task.ts', import.meta.url).href,
  deadline: 5000,
}

/** The maximum size of a file, in bytes; larger files are invalid. */
const MAX_FILE = 1024 * 1024
/** The maximum number of characters in the cache of workflows. */
const MAX_CACHED = 4 * 1024 * 1024
/** Milliseconds until a file that was invalid or too slow is parsed again: the machine may have been overloaded. */
const RETRY_MS = 600_000

/** Where a workflow file is, and on whose account it is read: `rateLimitKeyOf` of a requester, or the repository. */
export interface FileSource {
  readonly git: GitRepo
  readonly oid: string
  readonly caller: string
}

export type WorkflowReader = ReturnType<typeof createWorkflowReader>

/** Reads workflow files and plans their runs in child processes. */
export function createWorkflowReader(taskPool: TaskPool) {
  // NOTE: never stale in any process: the content of a blob never changes.
  const known = new LRUCache<string, string>({ maxSize: MAX_CACHED })

  async function inChild(task: Omit<WorkflowTask, 'text'>, { git, oid, caller }: FileSource): Promise<string> {
    const { size } = await git.objects.info(oid)
    if (size > MAX_FILE) return invalid('the file is larger than 1 MiB')
    const text = (await git.objects.blob(oid)).toString('utf8')
    const run = (): Promise<string> => taskPool.run(TASK, { ...task, text }, caller)
    try {
      // NOTE: the first time may have passed while the process started, on a busy machine.
      return await run().catch((error: unknown) => {
        if (error instanceof TaskError && error.reason === 'time') return run()
        throw error
      })
    } catch (error) {
      if (!(error instanceof TaskError)) throw error
      if (error.reason === 'ended' || error.reason === 'closing')
        throw unavailable('the workflow could not be read, try again').causedBy(error)
      return invalid(`reading it takes too much ${error.reason === 'time' ? 'time' : 'memory'}`)
    }
  }

  return {
    /** Reads a workflow; says what is wrong with an invalid one. */
    async read(source: FileSource): Promise<Read<Workflow>> {
      const key = `${source.git.storage}:${source.oid}`
      const text = known.get(key) ?? (await inChild({}, source))
      const result = JSON.parse(text) as Read<Workflow>
      known.set(key, text, { size: text.length + key.length, ttl: 'found' in result ? 0 : RETRY_MS })
      return result
    },
    /** Plans the run of a workflow; undefined when the event does not pass the filters. */
    async plan(source: FileSource, plan: NonNullable<WorkflowTask['plan']>): Promise<Read<RunPlan> | undefined> {
      const result = JSON.parse(await inChild({ plan }, source)) as Read<RunPlan> | Record<string, never>
      return 'found' in result || 'invalid' in result ? (result as Read<RunPlan>) : undefined
    },
  }
}

const invalid = (reason: string): string =>
  JSON.stringify({ invalid: { line: 0, place: '', reason } } satisfies Read<never>)
