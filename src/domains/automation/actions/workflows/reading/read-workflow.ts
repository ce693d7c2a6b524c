import type { Workflow } from '../workflow.policy.ts'
import { checkExpressions, hasExpression } from './expressions.ts'
import { MAX_JOBS } from './matrix.ts'
import { isMembers, type Members, nameText, readWords, WorkflowProblem } from './problem.ts'
import { readCrons, readInputs, readTriggers } from './triggers.ts'

const KEY = /^[A-Za-z_][\w-]{0,99}$/
/** Members of a workflow and of its jobs whose expressions the server evaluates. */
const EVALUATED = ['run-name', 'concurrency'] as const
export const EVALUATED_OF_JOB = ['name', 'runs-on', 'concurrency'] as const

/** The workflow in the value of a YAML document. Throws WorkflowProblem (behaviour/actions#from-event-to-jobs). */
export function readWorkflow(value: unknown): Workflow {
  if (!isMembers(value)) throw new WorkflowProblem([], 'must be a mapping')
  if (value['on'] === undefined || value['on'] === null) throw new WorkflowProblem([], 'has no "on"')
  if (hasExpression(value['on'])) throw new WorkflowProblem(['on'], 'has an expression, which nothing evaluates there')
  requireJobs(value)
  for (const name of EVALUATED) checkExpressions(value[name], [name])
  return {
    name: nameText(value['name']),
    triggers: readTriggers(value['on']),
    crons: readCrons(value['on']),
    inputs: readInputs(value['on']),
  }
}

/** The jobs of a workflow, by key. Throws WorkflowProblem for invalid ones. */
export function requireJobs(workflow: Members): ReadonlyMap<string, Members> {
  const jobs = workflow['jobs']
  if (!isMembers(jobs) || Object.keys(jobs).length === 0)
    throw new WorkflowProblem(['jobs'], 'must have at least one job')
  const entries = Object.entries(jobs)
  if (entries.length > MAX_JOBS) throw new WorkflowProblem(['jobs'], `has more than ${MAX_JOBS} jobs`)
  checkPermissions(workflow['permissions'], ['permissions'])
  const found = new Map(entries.map(([key, job]) => [key, requireJob(key, job)]))
  requireOrder(found)
  return found
}

function requireJob(key: string, job: unknown): Members {
  const path = ['jobs', key]
  if (!KEY.test(key)) throw new WorkflowProblem(path, 'is not a valid id of a job')
  if (!isMembers(job)) throw new WorkflowProblem(path, 'must be a mapping')
  readWords(job['needs'], [...path, 'needs'])
  checkPermissions(job['permissions'], [...path, 'permissions'])
  const labels = job['runs-on']
  if (!hasExpression(labels)) readLabels(labels, [...path, 'runs-on'])
  for (const name of EVALUATED_OF_JOB) checkExpressions(job[name], [...path, name])
  checkExpressions(environmentOf(job), [...path, 'environment'])
  if (isMembers(job['strategy'])) checkExpressions(job['strategy']['matrix'], [...path, 'strategy', 'matrix'])
  return job
}

/** NOTE: a text that is not understood must not give the rights of a workflow that says nothing. */
function checkPermissions(value: unknown, path: readonly string[]): void {
  const isNothing = value === undefined || value === null
  if (!isNothing && !isMembers(value) && value !== 'read-all' && value !== 'write-all')
    throw new WorkflowProblem(path, 'must be read-all, write-all or a mapping')
}

/** The name, which an expression may contain; the address of an environment is for the runner. */
export const environmentOf = ({ environment }: Members): unknown =>
  isMembers(environment) ? environment['name'] : environment

/**
 * The labels in an evaluated `runs-on`: a text, a list, or a mapping with `labels` and `group`. There are no groups of
 * runners: as runners read it, the name of a group is one more label.
 */
export const readLabels = (value: unknown, path: readonly string[]): readonly string[] =>
  isMembers(value) ? [value['labels'], value['group']].flatMap((part) => readWords(part, path)) : readWords(value, path)

/** Throws when the jobs need one that does not exist, or one another. */
function requireOrder(jobs: ReadonlyMap<string, Members>): void {
  const waiting = new Map([...jobs].map(([key, job]) => [key, readWords(job['needs'], ['jobs', key, 'needs'])]))
  for (const [key, needs] of waiting) {
    const missing = needs.find((need) => !jobs.has(need))
    if (missing !== undefined) throw new WorkflowProblem(['jobs', key, 'needs'], `names no job: ${missing}`)
  }
  for (let size = -1; size !== waiting.size;) {
    size = waiting.size
    for (const [key, needs] of waiting) if (!needs.some((need) => waiting.has(need))) waiting.delete(key)
  }
  const [cyclic] = waiting.keys()
  if (cyclic !== undefined) throw new WorkflowProblem(['jobs', cyclic, 'needs'], 'leads back to the job itself')
}
