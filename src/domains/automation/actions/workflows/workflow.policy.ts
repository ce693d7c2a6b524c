import { stringify } from 'yaml'

/** An input of a manual dispatch. */
export interface WorkflowInput {
  readonly name: string
  readonly isRequired: boolean
  /** The default; undefined if there is none. */
  readonly initial: string | undefined
  readonly type: InputType
  /** The values of a `choice`. */
  readonly options: readonly string[]
}

/** Other types, including environments, are treated as texts. */
type InputType = 'boolean' | 'choice' | 'number' | 'string'

export interface WorkflowJob {
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  readonly labels: readonly string[]
  readonly hasCondition: boolean
  /** YAML: the workflow with only this job. */
  readonly payload: string
}

/** The parsed content of a workflow file. */
export interface Workflow {
  /** Empty if there is none. */
  readonly name: string
  /** Empty if there is none. */
  readonly runName: string
  /** Undefined if the workflow has no dispatch trigger. */
  readonly inputs: readonly WorkflowInput[] | undefined
  readonly jobs: readonly WorkflowJob[]
  /** A feature in use that the server would have to evaluate and does not support; undefined if there is none. */
  readonly beyond: string | undefined
}

type Members = Readonly<Record<string, unknown>>

const MAX_JOBS = 256
const MAX_INPUTS = 100
const MAX_NAME = 255
/** The maximum number of characters of the payloads of all jobs. */
const MAX_PAYLOADS = 4 * 1024 * 1024
const KEY = /^[A-Za-z_][\w-]{0,99}$/
/** Members of the whole workflow that every job includes. */
const SHARED = ['name', 'run-name', 'on', 'env', 'defaults', 'permissions'] as const

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_NAME) : '')

/** Undefined for an invalid workflow (behaviour/actions#from-event-to-jobs). */
export function readWorkflow(value: unknown): Workflow | undefined {
  if (!isMembers(value) || !isMembers(value['jobs'])) return undefined
  const entries = Object.entries(value['jobs'])
  if (entries.length === 0 || entries.length > MAX_JOBS || value['on'] === undefined) return undefined
  const jobs = entries.flatMap(([key, job]) => readJob(value, key, job) ?? [])
  if (jobs.length < entries.length || !areOrdered(jobs)) return undefined
  if (jobs.reduce((sum, { payload }) => sum + payload.length, 0) > MAX_PAYLOADS) return undefined
  return {
    name: textOf(value['name']),
    runName: textOf(value['run-name']),
    inputs: readInputs(value['on']),
    jobs,
    beyond: findBeyond(value),
  }
}

function readJob(workflow: Members, key: string, job: unknown): WorkflowJob | undefined {
  if (!KEY.test(key) || !isMembers(job)) return undefined
  const [needs, labels] = [readWords(job['needs']), readLabels(job['runs-on'])]
  if (needs === undefined || labels === undefined) return undefined
  const { needs: _, ...own } = job
  const shared = Object.fromEntries(SHARED.filter((name) => name in workflow).map((name) => [name, workflow[name]]))
  return {
    key,
    name: textOf(job['name']) || key,
    needs,
    labels,
    hasCondition: job['if'] !== undefined,
    payload: stringify({ ...shared, jobs: { [key]: own } }, { lineWidth: 0 }),
  }
}

/** A text or a list of texts; undefined for any other value. */
function readWords(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return []
  const words: unknown[] = Array.isArray(value) ? value : [value]
  return words.every((word) => typeof word === 'string') ? words.map((word) => word.trim()) : undefined
}

const readLabels = (value: unknown): readonly string[] | undefined =>
  readWords(isMembers(value) ? value['labels'] : value)

/** Whether the needs of the jobs exist and are acyclic. */
function areOrdered(jobs: readonly WorkflowJob[]): boolean {
  const done = new Set<string>()
  for (let size = -1; size !== done.size;) {
    size = done.size
    for (const { key, needs } of jobs) if (needs.every((need) => done.has(need))) done.add(key)
  }
  return done.size === jobs.length
}

function readInputs(on: unknown): readonly WorkflowInput[] | undefined {
  if (on === 'workflow_dispatch' || (Array.isArray(on) && on.includes('workflow_dispatch'))) return []
  if (!isMembers(on) || !('workflow_dispatch' in on)) return undefined
  const dispatch = on['workflow_dispatch']
  const inputs = isMembers(dispatch) && isMembers(dispatch['inputs']) ? dispatch['inputs'] : {}
  return Object.entries(inputs)
    .slice(0, MAX_INPUTS + 1)
    .map(([name, input]) => {
      const { required = false, default: initial, type, options } = isMembers(input) ? input : {}
      return {
        name,
        isRequired: required === true,
        initial: scalarText(initial),
        type: type === 'boolean' || type === 'choice' || type === 'number' ? type : 'string',
        options: Array.isArray(options) ? options.flatMap((option: unknown) => scalarText(option) ?? []) : [],
      }
    })
}

const scalarText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined

const hasExpression = (value: unknown): boolean => JSON.stringify(value ?? '').includes('${{')

/**
 * Finds features that the server would have to evaluate before jobs begin
 * (behaviour/actions#needs-if-matrix-concurrency-rerun).
 */
function findBeyond(workflow: Members): string | undefined {
  if (hasExpression(workflow['on'])) return 'an expression in on'
  if ((readInputs(workflow['on'])?.length ?? 0) > MAX_INPUTS) return `more than ${MAX_INPUTS} inputs`
  if (hasExpression(workflow['run-name'])) return 'an expression in run-name'
  if ('concurrency' in workflow) return 'concurrency'
  for (const [key, job] of Object.entries(workflow['jobs'] as Readonly<Record<string, Members>>)) {
    if (isMembers(job['strategy']) && 'matrix' in job['strategy']) return `a matrix in the job ${key}`
    if ('concurrency' in job) return `concurrency in the job ${key}`
    if ('uses' in job) return `another workflow in the job ${key}`
    if (hasExpression(job['name']) || hasExpression(job['runs-on'])) return `an expression in the job ${key}`
  }
  return undefined
}
