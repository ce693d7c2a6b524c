import { yaml } from '../../../code/index.ts'
import type { Contexts } from './reading/expressions.ts'
import { type FilterFacts, passesFilters } from './reading/filters.ts'
import { planLateJobs, planRun } from './reading/plan-run.ts'
import { isMembers, type Members, type Path, WorkflowProblem } from './reading/problem.ts'
import { readWorkflow } from './reading/read-workflow.ts'
import { type Filters, readTriggers } from './reading/triggers.ts'
import type { Read, RunPlan, Workflow } from './workflow.policy.ts'

/** A job that is planned when the jobs that it needs have ended. */
export interface LateTask {
  /** `late` of the row of the job. */
  readonly late: string
  readonly needs: Members
}

/** Reads a file if `plan` is absent; otherwise plans the run if the event passes the filters. */
export interface WorkflowTask {
  readonly text: string
  readonly plan?: {
    readonly contexts: Contexts
    readonly filters?: Filters
    readonly facts?: FilterFacts
  }
}

/** Reads workflow files and plans runs in a child process; the results are JSON, whose size the pool limits. */
export const createTask =
  () =>
  (task: WorkflowTask | LateTask): string =>
    'late' in task ? planLate(task) : readOrPlan(task)

function readOrPlan({ text, plan }: WorkflowTask): string {
  if (plan?.filters !== undefined && !passesFilters(plan.filters, plan.facts ?? {})) return JSON.stringify({})
  const document = yaml.read(text)
  if (!('value' in document)) return JSON.stringify({ invalid: { ...document, place: '' } } satisfies Read<never>)
  return resultOf<Workflow | RunPlan>(
    () => (plan === undefined ? readWorkflow(document.value) : planRun(requireMembers(document.value), plan.contexts)),
    { lineOf: document.lineOf, events: () => eventsOf(document.value) },
  )
}

function eventsOf(workflow: unknown): readonly string[] | undefined {
  try {
    return readTriggers(requireMembers(workflow)['on']).map(({ event }) => event)
  } catch {
    return undefined
  }
}

const planLate = ({ late, needs }: LateTask): string =>
  resultOf(() => planLateJobs(late, needs), { lineOf: () => 0, events: () => undefined })

interface Source {
  lineOf(path: Path): number
  events(): readonly string[] | undefined
}

function resultOf<T>(find: () => T, { lineOf, events }: Source): string {
  try {
    return JSON.stringify({ found: find() } satisfies Read<T>)
  } catch (error) {
    if (!(error instanceof WorkflowProblem)) throw error
    const { path, message: reason } = error
    const invalid = { line: lineOf(path), place: path.join('.'), reason }
    return JSON.stringify({ invalid, events: events() } satisfies Read<never>)
  }
}

function requireMembers(value: unknown): Members {
  if (!isMembers(value)) throw new WorkflowProblem([], 'must be a mapping')
  return value
}
