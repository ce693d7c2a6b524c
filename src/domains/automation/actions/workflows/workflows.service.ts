import type { Core, Services } from '../../../../core/module.ts'
import type { Actor, SignedIn } from '../../../../core/access/viewer.ts'
import { branchRef, type Commit, type GitRepo, ignoringMissing } from '../../../../core/git/index.ts'
import { unavailable } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { Run } from '../runs/run.store.ts'
import { type Dispatch, dispatchWorkflow } from './dispatch-workflow.ts'
import { listWorkflowFiles, type WorkflowFile } from './workflow-files.ts'
import { listDisabledWorkflows, updateWorkflowState } from './workflow-state.store.ts'
import { LRUCache } from 'lru-cache'
import { TaskError, type TaskKind, type TaskPool } from '../../../../core/platform/isolation/index.ts'
import type { Workflow } from './workflow.policy.ts'

const TASK: TaskKind<string, Workflow | undefined> = {
  url: new URL('workflow.task.ts', import.meta.url).href,
  deadline: 5000,
}

/** The maximum size of a file, in bytes; larger files are invalid. */
const MAX_FILE = 1024 * 1024
/** The maximum number of characters in the cache of workflows. */
const MAX_CACHED = 8 * 1024 * 1024
const ENTRY_SIZE = 256
/** Milliseconds until a file that was invalid or too slow is parsed again: the machine may have been overloaded. */
const RETRY_MS = 600_000

/**
 * Reads a workflow by the id of its blob; `rateLimitKey` is the key of the requester. Undefined when it is invalid or
 * parsing takes too long.
 */
type WorkflowReader = (git: GitRepo, oid: string, rateLimitKey: string) => Promise<Workflow | undefined>

function createWorkflowReader(taskPool: TaskPool): WorkflowReader {
  // NOTE: never stale in any process: the content of a blob never changes.
  const known = new LRUCache<string, { readonly workflow: Workflow | undefined }>({ maxSize: MAX_CACHED })

  return async (git, oid, rateLimitKey) => {
    const key = `${git.storage}:${oid}`
    const found = known.get(key)
    if (found) return found.workflow
    const { size } = await git.objects.info(oid)
    if (size > MAX_FILE) return undefined
    const text = (await git.objects.blob(oid)).toString('utf8')
    const workflow = await parse(taskPool, text, rateLimitKey)
    const payloads = workflow?.jobs.reduce((sum, { payload }) => sum + payload.length, 0) ?? 0
    known.set(key, { workflow }, { size: payloads + ENTRY_SIZE, ttl: workflow === undefined ? RETRY_MS : 0 })
    return workflow
  }
}

async function parse(taskPool: TaskPool, text: string, rateLimitKey: string): Promise<Workflow | undefined> {
  try {
    return await taskPool.run(TASK, text, rateLimitKey)
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    if (error.reason === 'ended' || error.reason === 'closing')
      throw unavailable('the workflow could not be read, try again').causedBy(error)
    return undefined
  }
}

export interface WorkflowView {
  readonly file: WorkflowFile
  readonly name: string
  readonly isDisabled: boolean
  /** The tip of the default branch. */
  readonly commit: Commit
}

/** A repository, and the key of the requester; see `rateLimitKeyOf`. */
interface Reading {
  readonly repo: Repo
  readonly rateLimitKey: string
}

export interface WorkflowDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events' | 'taskPool' | 'site'> {
  readonly repos: Pick<Services['repos'], 'view'>
}

export type Workflows = ReturnType<typeof createWorkflows>

/** Workflow files of the default branch (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export function createWorkflows(deps: WorkflowDeps) {
  const { database, git, clock, events } = deps
  const read = createWorkflowReader(deps.taskPool)

  async function view({ repo, rateLimitKey }: Reading, only?: string): Promise<WorkflowView[]> {
    const opened = git.open(repo)
    const commit = await findTip(opened, repo)
    if (commit === undefined) return []
    const files = (await listWorkflowFiles(opened, commit.oid)).filter(
      ({ name }) => only === undefined || name === only,
    )
    const disabled = await listDisabledWorkflows(database.read, repo.id)
    const views: WorkflowView[] = []
    for (const file of files) {
      const name = (await read(opened, file.oid, rateLimitKey))?.name || file.name
      views.push({ file, name, isDisabled: disabled.includes(file.name), commit })
    }
    return views
  }

  /**
   * The workflow of a run, in its version at the commit of the run; undefined when the commit or the file no longer
   * exists.
   */
  async function findOfRun(repo: Repo, run: Run): Promise<WorkflowView | undefined> {
    const opened = git.open(repo)
    const commit = await ignoringMissing(() => opened.objects.commit(run.oid))
    const files = commit === undefined ? [] : await listWorkflowFiles(opened, commit.oid)
    const file = files.find(({ name }) => name === run.workflow)
    if (commit === undefined || file === undefined) return undefined
    const [name, disabled] = await Promise.all([
      read(opened, file.oid, `repo:${repo.id}`).then((workflow) => workflow?.name || file.name),
      listDisabledWorkflows(database.read, repo.id),
    ])
    return { file, name, isDisabled: disabled.includes(file.name), commit }
  }

  /** Finds a workflow by file name. Throws NotFound. */
  async function get(reading: Reading, name: string): Promise<WorkflowView> {
    const [found] = await view(reading, name)
    if (found === undefined) throw errors.workflowNotFound(name)
    return found
  }

  return {
    /** Sorted by path. */
    list: (reading: Reading): Promise<readonly WorkflowView[]> => view(reading),
    get,
    findOfRun,
    /** Throws NotFound. */
    async setDisabled(actor: Actor, reading: Reading, name: string, isDisabled: boolean): Promise<void> {
      await get(reading, name)
      const { id: repoId } = reading.repo
      await database.transaction(async (tx) => {
        if (!(await updateWorkflowState(tx, repoId, { workflow: name, isDisabled }))) return
        const kind = isDisabled ? 'action_workflow.disabled' : 'action_workflow.enabled'
        await events.append(tx, kind, { actor, repoId, at: clock.now() }, { repo_id: repoId, workflow: name })
      })
    },
    /** Starts a run; throws as `dispatchWorkflow`. */
    dispatch: (actor: SignedIn, { repo, rateLimitKey }: Reading, dispatch: Dispatch): Promise<Run> =>
      dispatchWorkflow({ ...deps, read: (opened, oid) => read(opened, oid, rateLimitKey) }, actor, { repo, dispatch }),
  }
}

async function findTip(git: GitRepo, repo: Repo): Promise<Commit | undefined> {
  const tip = (await git.refs.snapshot()).get(branchRef(repo.defaultBranch))?.oid
  return tip === undefined ? undefined : git.objects.commit(tip)
}
