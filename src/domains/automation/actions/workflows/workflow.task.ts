import { yaml } from '../../../code/index.ts'
import type { Contexts } from './reading/expressions.ts'
import { type FilterFacts, passesFilters } from './reading/filters.ts'
import { planRun } from './reading/plan-run.ts'
import { isMembers, type Members, WorkflowProblem } from './reading/problem.ts'
import { readWorkflow } from './reading/read-workflow.ts'
import type { Filters } from './reading/triggers.ts'
import type { Read, RunPlan, Workflow } from './workflow.policy.ts'

/** Without `plan`, the file is read; with it, the run is planned if the event passes the filters. */
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
  ({ text, plan }: WorkflowTask): string => {
    if (plan?.filters !== undefined && !passesFilters(plan.filters, plan.facts ?? {})) return JSON.stringify({})
    const document = yaml.read(text)
    if (!('value' in document)) return JSON.stringify({ invalid: { ...document, place: '' } } satisfies Read<never>)
    try {
      const found: Workflow | RunPlan =
        plan === undefined ? readWorkflow(document.value) : planRun(requireMembers(document.value), plan.contexts)
      return JSON.stringify({ found } satisfies Read<Workflow | RunPlan>)
    } catch (error) {
      if (!(error instanceof WorkflowProblem)) throw error
      const { path, message: reason } = error
      return JSON.stringify({
        invalid: { line: document.lineOf(path), place: path.join('.'), reason },
      } satisfies Read<never>)
    }
  }

function requireMembers(value: unknown): Members {
  if (!isMembers(value)) throw new WorkflowProblem([], 'must be a mapping')
  return value
}
