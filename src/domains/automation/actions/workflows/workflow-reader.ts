import { LRUCache } from 'lru-cache'
import type { GitRepo } from '../../../../core/git/index.ts'
import { unavailable } from '../../../../core/platform/errors.ts'
import { TaskError, type TaskKind, type TaskPool } from '../../../../core/platform/isolation/index.ts'
import type { Workflow } from './workflow.policy.ts'

const TASK: TaskKind<string, Workflow | undefined> = {
  url: new URL('workflow.task.ts', import.meta.url).href,
  deadline: 5000,
}

/** Bytes of a file; a larger one is invalid. */
const MAX_FILE = 1024 * 1024
/** Characters of the workflows that are cached. */
const MAX_CACHED = 8 * 1024 * 1024
const ENTRY_SIZE = 256
/** Milliseconds until a file that was invalid or took too long is read again: the machine may have been busy. */
const RETRY_MS = 600_000

/**
 * Reads a workflow by the id of its blob; `caller` is whose work it is. Undefined when it is invalid or takes too long.
 */
export type WorkflowReader = (git: GitRepo, oid: string, caller: string) => Promise<Workflow | undefined>

export function createWorkflowReader(taskPool: TaskPool): WorkflowReader {
  // NOTE: never stale, in any process: the content of a blob never changes.
  const known = new LRUCache<string, { readonly workflow: Workflow | undefined }>({ maxSize: MAX_CACHED })

  return async (git, oid, caller) => {
    const key = `${git.storage}:${oid}`
    const found = known.get(key)
    if (found) return found.workflow
    const { size } = await git.objects.info(oid)
    if (size > MAX_FILE) return undefined
    const text = (await git.objects.blob(oid)).toString('utf8')
    const workflow = await parse(taskPool, text, caller)
    const payloads = workflow?.jobs.reduce((sum, { payload }) => sum + payload.length, 0) ?? 0
    known.set(key, { workflow }, { size: payloads + ENTRY_SIZE, ttl: workflow === undefined ? RETRY_MS : 0 })
    return workflow
  }
}

async function parse(taskPool: TaskPool, text: string, caller: string): Promise<Workflow | undefined> {
  try {
    return await taskPool.run(TASK, text, caller)
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    if (error.reason === 'ended' || error.reason === 'closing')
      throw unavailable('the workflow could not be read, try again', error)
    return undefined
  }
}
