import type { Core } from '../../../../core/module.ts'
import type { Actor } from '../../../../core/access/viewer.ts'
import { branchRef, type Commit, type GitRepo, ignoringMissing } from '../../../../core/git/index.ts'
import { DomainError } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { Run } from '../runs/run.store.ts'
import { findNamed, listWorkflowFiles, type WorkflowFile } from './workflow-files.ts'
import { listDisabledWorkflows, updateWorkflowState } from './workflow-state.store.ts'
import type { WorkflowLint } from './workflow.model.ts'
import type { WorkflowReader } from './workflow-reader.ts'

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

interface WorkflowDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events'> {
  readonly reader: WorkflowReader
}

export type Workflows = ReturnType<typeof createWorkflows>

/** Workflow files of the default branch (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export function createWorkflows({ database, git, clock, events, reader }: WorkflowDeps) {
  /** The name in the file, or the file name. */
  async function nameOf(opened: GitRepo, { oid, name }: WorkflowFile, rateLimitKey: string): Promise<string> {
    const result = await reader.read({ git: opened, oid, rateLimitKey }).catch((error: unknown) => {
      if (error instanceof DomainError && error.kind === 'unavailable') return undefined
      throw error
    })
    return (result !== undefined && 'found' in result && result.found.name) || name
  }

  async function view({ repo, rateLimitKey }: Reading, only?: string): Promise<WorkflowView[]> {
    const opened = git.open(repo)
    const commit = await findTip(opened, repo)
    if (commit === undefined) return []
    const all = await listWorkflowFiles(opened, commit.oid)
    const files = only === undefined ? all : [findNamed(all, only)].filter((file) => file !== undefined)
    const disabled = await listDisabledWorkflows(database.read, repo.id)
    const views: WorkflowView[] = []
    for (const file of files) {
      const name = await nameOf(opened, file, rateLimitKey)
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
      nameOf(opened, file, `repo:${repo.id}`),
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
    /** The problems of a workflow file of the default branch. Throws NotFound. */
    async lint(reading: Reading, name: string): Promise<WorkflowLint> {
      const { file } = await get(reading, name)
      const source = { git: git.open(reading.repo), oid: file.oid, rateLimitKey: reading.rateLimitKey }
      const result = await reader.read(source)
      const problems = 'invalid' in result ? [result.invalid] : []
      return { path: file.path, valid: problems.length === 0, problems }
    },
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
  }
}

async function findTip(git: GitRepo, repo: Repo): Promise<Commit | undefined> {
  const tip = (await git.refs.snapshot()).get(branchRef(repo.defaultBranch))?.oid
  return tip === undefined ? undefined : git.objects.commit(tip)
}
