import type { Services } from '../../../../core/module.ts'
import { NO_ACCESS } from '../../../../core/access/repo-access.ts'
import { ANONYMOUS, type SignedIn } from '../../../../core/access/viewer.ts'
import { type GitRepo, ignoringMissing } from '../../../../core/git/index.ts'
import { badRequest, engineErrors, forbidden, invalid, notFound } from '../../../../core/platform/errors.ts'
import { type Repo, presentRepo } from '../../../repositories/index.ts'
import { userQueries, userPresenters } from '../../../accounts/index.ts'
import type { Run } from '../runs/run.store.ts'
import type { Members } from '../workflows/reading/problem.ts'
import { findNamed, listWorkflowFiles, type WorkflowFile } from '../workflows/workflow-files.ts'
import { listDisabledWorkflows } from '../workflows/workflow-state.store.ts'
import type { WorkflowInput } from '../workflows/reading/triggers.ts'
import { describeInvalid, type Read } from '../workflows/workflow.policy.ts'
import { githubContext } from './github-context.ts'
import { insertPlannedRun, newPlaceholders } from './insert-run.ts'
import type { StartDeps } from './start-runs.ts'

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i

/**
 * Texts for the inputs that a workflow declares, with defaults for absent ones; ignores undeclared inputs. An empty
 * value counts as present only for texts. Throws BadRequest for a missing required input, and Invalid for a value (also
 * a default) that does not match its type or options (behaviour/actions#from-event-to-jobs).
 */
function readDispatchInputs(
  declared: readonly WorkflowInput[],
  given: Dispatch['inputs'],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    declared.map((input) => {
      const { name, isRequired, initial = '', type } = input
      const sent = Object.hasOwn(given, name) ? String(given[name]) : undefined
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
  readonly inputs: Readonly<Record<string, string | number | boolean>>
}

export interface DispatchedRun {
  readonly run: Run
  /** The ids of its jobs in the workflow. */
  readonly jobs: readonly string[]
}

type DispatchDeps = Omit<StartDeps, 'messageBuilders' | 'log'> & {
  readonly repos: Pick<Services['repos'], 'view'>
}

interface FoundWorkflow {
  readonly ref: string
  readonly oid: string
  readonly file: WorkflowFile
}

/**
 * Starts a run of a workflow in its version at a ref. Throws NotFound for an unknown ref or workflow; Forbidden for a
 * disabled one; Invalid if it is invalid or has no dispatch trigger; BadRequest and Invalid for wrong inputs.
 */
export async function dispatchWorkflow(
  deps: DispatchDeps,
  actor: SignedIn,
  { repo, rateLimitKey, dispatch }: { readonly repo: Repo; readonly rateLimitKey: string; readonly dispatch: Dispatch },
): Promise<DispatchedRun> {
  const { database, reader, site } = deps
  const git = deps.git.open(repo)
  const { ref, oid, file } = await findWorkflow(git, dispatch)
  if ((await listDisabledWorkflows(database.read, repo.id)).includes(file.name)) throw isDisabled()
  const source = { git, oid: file.oid, rateLimitKey }
  const { inputs: declared } = requireValid(file, await reader.read(source))
  if (declared === undefined) throw invalid(`workflow "${file.name}" has no workflow_dispatch trigger`)
  const inputs = readDispatchInputs(declared, dispatch.inputs)
  const payload = { ...(await presentFacts(deps, actor, repo)), workflow: file.name, ref: dispatch.ref, inputs }
  const placeholders = newPlaceholders()
  const on = 'workflow_dispatch'
  const github = githubContext(
    { ...placeholders, repo, on, ref, oid, payload, workflow: file.name, actor: actor.account.name },
    site,
  )
  const vars = Object.fromEntries(await deps.actionsVariables.loadFor(repo))
  const planned = await reader.plan(source, { contexts: { github, vars, inputs: typedInputs(declared, inputs) } })
  const plan = requireValid(file, planned!)
  const title = (await git.objects.commit(oid)).message.split('\n', 1)[0]!
  const run = { isFromFork: false, needsApproval: false, depth: 0, source: '', reportedOid: '', placeholders, plan }
  return database.transaction(async (tx) => {
    const started = { ...run, repo, workflow: file, title, on, ref, oid, actor, payload }
    const inserted = await insertPlannedRun(tx, deps, started)
    if (inserted === undefined) throw isDisabled()
    return { run: inserted, jobs: [...new Set(plan.jobs.map(({ key }) => key))] }
  })
}

const isDisabled = () => forbidden('workflow is disabled')

function requireValid<T>(file: WorkflowFile, result: Read<T>): T {
  if ('invalid' in result) throw invalid(`workflow "${file.name}" is not valid: ${describeInvalid(result.invalid)}`)
  return result.found
}

/** The values as expressions see them; in the event they are texts. */
const typedInputs = (declared: readonly WorkflowInput[], inputs: Readonly<Record<string, string>>): Members =>
  Object.fromEntries(
    declared.map(({ name, type }) => {
      const value = inputs[name]!
      if (value === '') return [name, value]
      return [name, type === 'boolean' ? value === 'true' : type === 'number' ? Number(value) : value]
    }),
  )

/** The members of an event that state where it happened and who caused it. */
async function presentFacts({ database, repos, site }: DispatchDeps, actor: SignedIn, repo: Repo): Promise<Members> {
  const view = await repos.view(actor, { repo, access: NO_ACCESS })
  const user = await userQueries.findById(database.read, actor.account.id)
  const repository = { ...presentRepo(view, site), permissions: { admin: true, push: true, pull: true } }
  return { repository, sender: user && userPresenters.present(user, ANONYMOUS, site) }
}

async function findWorkflow(git: GitRepo, { workflow: name, ref: given }: Dispatch): Promise<FoundWorkflow> {
  const { findLoose, findStrict } = git.revisions
  const named = await ignoringMissing(() => (given.startsWith('refs/') ? findLoose(given) : findStrict(given)))
  if (named?.kind !== 'branch' && named?.kind !== 'tag') throw engineErrors.refNotFound(given)
  const ref = named.ref!
  const oid = await git.revisions.peel(named.oid, 'commit')
  const file = findNamed(await listWorkflowFiles(git, oid), name)
  if (file === undefined) throw notFound(`workflow "${name}" does not exist at ${given}`)
  return { ref, oid, file }
}
