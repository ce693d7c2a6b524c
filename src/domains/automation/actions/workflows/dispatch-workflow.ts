import type { Core, Services } from '../../../../core/module.ts'
import { NO_ACCESS } from '../../../../core/access/repo-access.ts'
import { ANONYMOUS, type SignedIn } from '../../../../core/access/viewer.ts'
import { flag } from '../../../../core/db/flag.ts'
import { type GitRepo, ignoringMissing } from '../../../../core/git/index.ts'
import { badRequest, engineErrors, forbidden, invalid, notFound } from '../../../../core/platform/errors.ts'
import { type Repo, presentRepo } from '../../../repositories/index.ts'
import { userQueries, userPresenters } from '../../../accounts/index.ts'
import { raiseQueues } from '../runners/runner.store.ts'
import { insertJobs } from '../runs/job.store.ts'
import { insertRun, type Run } from '../runs/run.store.ts'
import { listWorkflowFiles, type WorkflowFile } from './workflow-files.ts'
import type { Workflow, WorkflowJob, WorkflowInput } from './workflow.policy.ts'
import { listDisabledWorkflows } from './workflow-state.store.ts'

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i

/**
 * Values for the inputs that a workflow declares, with defaults for absent ones; ignores undeclared inputs. An empty
 * value counts as present only for texts. Throws BadRequest for a missing required input, and Invalid for a value (also
 * a default) that does not match its type or options (behaviour/actions#from-event-to-jobs).
 */
function readDispatchInputs(
  declared: readonly WorkflowInput[],
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    declared.map((input) => {
      const { name, isRequired, initial = '', type } = input
      const sent = Object.hasOwn(given, name) ? given[name] : undefined
      const value = sent === undefined || (sent === '' && type !== 'string') ? initial : sent
      if (isRequired && value === '') throw badRequest(`missing required input: ${name}`)
      const problem = value === '' ? undefined : problemOf(input, value)
      if (problem !== undefined) throw invalid(`input ${name} ${problem}`)
      return [name, value]
    }),
  )
}

function problemOf({ type, options }: WorkflowInput, value: string): string | undefined {
  if (type === 'boolean') return value === 'true' || value === 'false' ? undefined : 'must be true or false'
  if (type === 'number') return NUMBER.test(value) && Number.isFinite(Number(value)) ? undefined : 'must be a number'
  return type === 'choice' && !options.includes(value) ? 'must be one of its options' : undefined
}

export interface Dispatch {
  /** The file name. */
  readonly workflow: string
  /** The short name of a branch or tag, or a full ref name. */
  readonly ref: string
  readonly inputs: Readonly<Record<string, string>>
}

interface DispatchDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events' | 'site'> {
  readonly repos: Pick<Services['repos'], 'view'>
  read(git: GitRepo, oid: string): Promise<Workflow | undefined>
}

interface FoundWorkflow {
  readonly ref: string
  readonly oid: string
  readonly file: WorkflowFile
  readonly workflow: Workflow
}

const TITLE_LENGTH = 255

/**
 * Starts a run of a workflow in its version at a ref. Throws NotFound for an unknown ref or workflow; Forbidden for a
 * disabled one; Invalid if it is invalid, has no dispatch trigger or uses unsupported features; BadRequest and Invalid
 * for wrong inputs.
 */
export async function dispatchWorkflow(
  deps: DispatchDeps,
  actor: SignedIn,
  { repo, dispatch }: { readonly repo: Repo; readonly dispatch: Dispatch },
): Promise<Run> {
  const { database, git, clock, events, repos, site } = deps
  const opened = git.open(repo)
  const found = await findWorkflow(deps, opened, dispatch)
  const { ref, oid, file, workflow } = found
  const requireEnabled = (disabled: readonly string[]): void => {
    if (disabled.includes(file.name)) throw forbidden('workflow is disabled')
  }
  requireEnabled(await listDisabledWorkflows(database.read, repo.id))
  if (workflow.inputs === undefined) throw invalid(`workflow "${file.name}" has no workflow_dispatch trigger`)
  if (workflow.beyond !== undefined)
    throw invalid(`workflow "${file.name}" uses ${workflow.beyond}, which this server does not evaluate yet`)
  const inputs = readDispatchInputs(workflow.inputs, dispatch.inputs)
  const firstLine = (await opened.objects.commit(oid)).message.split('\n', 1)[0]!
  const view = await repos.view(actor, { repo, access: NO_ACCESS })
  const user = await userQueries.findById(database.read, actor.account.id)
  const repository = { ...presentRepo(view, site), permissions: { admin: true, push: true, pull: true } }
  const sender = user && userPresenters.present(user, ANONYMOUS, site)
  return database.transaction(async (tx) => {
    const at = clock.now()
    requireEnabled(await listDisabledWorkflows(tx, repo.id))
    const run = await insertRun(tx, {
      repo_id: repo.id,
      workflow: file.name,
      workflow_path: file.path,
      title: (workflow.runName || firstLine).slice(0, TITLE_LENGTH).toWellFormed(),
      event: 'workflow_dispatch',
      ref,
      oid,
      actor_id: actor.account.id,
      payload: JSON.stringify({ workflow: file.name, ref: dispatch.ref, inputs, repository, sender }),
      status: 'waiting',
      created_at: at,
      updated_at: at,
    })
    const rows = workflow.jobs.map((job) => toRow(job, run, at))
    const ids = await insertJobs(tx, rows)
    await raiseQueues(tx, repo)
    const jobs = rows.map(({ status }, index) => ({ id: ids[index]!, status }))
    const payload = { repo_id: repo.id, run_id: run.id, number: run.number, workflow: run.workflow, jobs }
    await events.append(tx, 'action_run.created', { actor, repoId: repo.id, at }, payload)
    return run
  })
}

async function findWorkflow(
  { read }: Pick<DispatchDeps, 'read'>,
  git: GitRepo,
  { workflow: name, ref: given }: Dispatch,
): Promise<FoundWorkflow> {
  const { findLoose, findStrict } = git.revisions
  const named = await ignoringMissing(() => (given.startsWith('refs/') ? findLoose(given) : findStrict(given)))
  if (named?.kind !== 'branch' && named?.kind !== 'tag') throw engineErrors.refNotFound(given)
  const ref = named.ref!
  const oid = await git.revisions.peel(named.oid, 'commit')
  const file = (await listWorkflowFiles(git, oid)).find((one) => one.name === name)
  if (file === undefined) throw notFound(`workflow "${name}" does not exist at ${given}`)
  const workflow = await read(git, file.oid)
  if (workflow === undefined) throw invalid(`workflow "${name}" is not valid`)
  return { ref, oid, file, workflow }
}

const toRow = (job: WorkflowJob, { id, repoId }: Run, at: number): Parameters<typeof insertJobs>[1][number] => ({
  repo_id: repoId,
  run_id: id,
  key: job.key,
  name: job.name,
  needs: JSON.stringify(job.needs),
  labels: JSON.stringify(job.labels),
  payload: job.payload,
  has_condition: flag(job.hasCondition),
  status: job.needs.length === 0 ? 'waiting' : 'blocked',
  created_at: at,
  updated_at: at,
})
