import { compareTexts } from '../../../../../core/platform/compare-texts.ts'
import { stringify } from 'yaml'
import type { Concurrency, PlannedJob, RunPlan } from '../workflow.policy.ts'
import { isFalse } from './condition.ts'
import { type Contexts, Expressions, hasExpression } from './expressions.ts'
import { describeCombination, expandMatrix, MAX_JOBS } from './matrix.ts'
import { isMembers, type Members, nameText, type Path, readWords, scalarText, WorkflowProblem } from './problem.ts'
import { environmentOf, EVALUATED_OF_JOB, readLabels, requireJobs } from './read-workflow.ts'

/** The maximum number of characters of the payloads of all jobs. */
const MAX_PAYLOADS = 4 * 1024 * 1024
const MAX_GROUP = 255
const MAX_STEPS = 1000
/** Members of the whole workflow that every job includes. */
const SHARED = ['name', 'run-name', 'on', 'env', 'defaults', 'permissions'] as const
/** Texts that YAML 1.1 reads as something else, such as `on` and `1_000`, are quoted: runners read either version. */
const PAYLOAD = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const
/** The contexts of a job that is planned late, by the names that its expressions use. */
const LATE_CONTEXTS = { github: /\b(?:github|gitea|forgejo)\b/, inputs: /\binputs\b/, vars: /\bvars\b/ } as const
const SCOPES = 'contents issues pull-requests packages actions wiki projects releases id-token'.split(' ')

/**
 * The jobs of a run, with everything evaluated that the server evaluates: names, labels, matrices and concurrency. The
 * rest is left to the runner. Throws WorkflowProblem (behaviour/actions#needs-if-matrix-concurrency-rerun).
 */
export function planRun(workflow: Members, contexts: Contexts): RunPlan {
  const expressions = new Expressions(contexts)
  const jobs: PlannedJob[] = []
  let size = 0
  for (const [key, job] of requireJobs(workflow)) {
    const late = planLater({ workflow, key, job, expressions }, contexts)
    for (const planned of late ?? planJobs({ workflow, key, job, expressions })) {
      size += planned.payload.length + planned.late.length
      if (size > MAX_PAYLOADS) throw new WorkflowProblem(['jobs', key], 'makes the jobs of the run too large')
      if (jobs.push(planned) > MAX_JOBS) throw new WorkflowProblem(['jobs', key], `makes more than ${MAX_JOBS} jobs`)
    }
  }
  return {
    name: nameText(workflow['name']),
    runName: nameText(expressions.value(workflow['run-name'], ['run-name'])),
    concurrency: readConcurrency(expressions.value(workflow['concurrency'], ['concurrency']), ['concurrency']),
    jobs,
  }
}

/**
 * The jobs, one for each combination, of a job that is planned when the jobs that it needs have ended; none if its `if`
 * is false.
 */
export function planLateJobs(late: string, needs: Members): readonly PlannedJob[] {
  const { workflow, key, job, contexts } = JSON.parse(late) as Omit<JobSource, 'expressions'> & { contexts: Contexts }
  const known = { ...contexts, needs }
  return isFalse(job['if'], known) ? [] : planJobs({ workflow, key, job, expressions: new Expressions(known) })
}

/**
 * A job that stands for those of a matrix, or has a name, labels or a group, which depend on outputs of others, or for
 * those of a matrix with expressions which makes no jobs, or is not evaluated because the `if` of the job is false. The
 * others of the run start nevertheless, as on GitHub.
 */
function planLater(
  { workflow, key, job, expressions }: JobSource,
  contexts: Contexts,
): readonly PlannedJob[] | undefined {
  const needs = readWords(job['needs'], ['jobs', key, 'needs'])
  const evaluated = JSON.stringify([
    ...EVALUATED_OF_JOB.map((member) => job[member]),
    environmentOf(job),
    matrixOf(job),
  ])
  const isLate = needs.length > 0 && hasExpression(evaluated) && /\bneeds\b/.test(evaluated)
  const { event, ...github } = isMembers(contexts['github']) ? contexts['github'] : {}
  const all: Contexts = { inputs: {}, ...contexts, github: { ...github, event } }
  const hasNoJobs = (): boolean => isFalse(job['if'], all) || !canExpand(matrixOf(job), expressions)
  if (!isLate && !(hasExpression(matrixOf(job)) && hasNoJobs())) return undefined
  const texts = `${evaluated} ${scalarText(job['if']) ?? ''}`
  const used = Object.entries(LATE_CONTEXTS).filter(([, pattern]) => pattern.test(texts))
  const given = { ...all, github: /\bevent\b/.test(texts) ? { ...github, event } : github }
  const late = {
    workflow: sharedOf(workflow),
    key,
    job,
    contexts: Object.fromEntries(used.map(([name]) => [name, given[name as keyof typeof given]])),
  }
  const hasCondition = job['if'] !== undefined
  const rest = { labels: [], steps: [], permissions: '', environment: '', concurrency: undefined, payload: '' }
  return [{ ...rest, key, name: key, needs, hasCondition, late: JSON.stringify(late) }]
}

const matrixOf = ({ strategy }: Members): unknown => (isMembers(strategy) ? strategy['matrix'] : undefined)

function canExpand(matrix: unknown, expressions: Expressions): boolean {
  try {
    return expandMatrix(expressions.value(matrix, []), []).length > 0
  } catch (error) {
    if (error instanceof WorkflowProblem) return false
    throw error
  }
}

const sharedOf = (workflow: Members): Members =>
  Object.fromEntries(SHARED.filter((member) => member in workflow).map((member) => [member, workflow[member]]))

interface JobSource {
  readonly workflow: Members
  readonly key: string
  readonly job: Members
  readonly expressions: Expressions
}

/** One job for each combination of the matrix, by name. */
function planJobs({ workflow, key, job, expressions }: JobSource): PlannedJob[] {
  const path = ['jobs', key]
  const matrixPath = [...path, 'strategy', 'matrix']
  const matrix = expressions.value(matrixOf(job), matrixPath)
  const combinations = expandMatrix(matrix, matrixPath)
  return combinations
    .map((combination) => {
      const own = matrix === undefined ? expressions : new Expressions({ matrix: combination }, expressions)
      return planJob({ workflow, key, job, expressions: own }, matrix === undefined ? undefined : combination)
    })
    .toSorted((a, b) => compareTexts(a.name, b.name))
}

function planJob({ workflow, key, job, expressions }: JobSource, combination: Members | undefined): PlannedJob {
  const path = ['jobs', key]
  const { needs, ...own } = job
  const name = nameOf(job['name'], { key, combination, expressions })
  const runsOn = expressions.value(job['runs-on'], [...path, 'runs-on'])
  const strategy = isMembers(job['strategy']) && {
    strategy: { ...job['strategy'], ...(combination && { matrix: mapValues(combination, (value) => [value]) }) },
  }
  const resolved = { ...own, name, ...(runsOn !== undefined && { 'runs-on': runsOn }), ...strategy }
  return {
    key,
    name,
    needs: readWords(needs, [...path, 'needs']),
    labels: readLabels(runsOn, [...path, 'runs-on']),
    hasCondition: job['if'] !== undefined,
    steps: stepNames(job['steps']),
    permissions: readPermissions(job['permissions'] ?? workflow['permissions']),
    environment: nameText(expressions.value(environmentOf(job), [...path, 'environment'])),
    concurrency: readConcurrency(expressions.value(job['concurrency'], [...path, 'concurrency']), [
      ...path,
      'concurrency',
    ]),
    payload: stringify({ ...sharedOf(workflow), jobs: { [key]: resolved } }, PAYLOAD),
    late: '',
  }
}

const mapValues = (members: Members, change: (value: unknown) => unknown): Members =>
  Object.fromEntries(Object.entries(members).map(([key, value]) => [key, change(value)]))

function nameOf(
  template: unknown,
  { key, combination, expressions }: { key: string; combination: Members | undefined; expressions: Expressions },
): string {
  const name = nameText(expressions.value(template, ['jobs', key, 'name'])) || key
  const values = combination === undefined || hasExpression(template) ? '' : describeCombination(combination)
  return nameText(values === '' ? name : `${name} (${values})`)
}

/** A text is the group alone. */
function readConcurrency(value: unknown, path: Path): Concurrency | undefined {
  if (value === undefined || value === null) return undefined
  const { group, 'cancel-in-progress': cancels = false } = isMembers(value) ? value : { group: value }
  const name = scalarText(group)
  // NOTE: PostgreSQL stores no NUL.
  if (name === undefined || name.length > MAX_GROUP || name.includes('\0'))
    throw new WorkflowProblem(path, `must name a group of at most ${MAX_GROUP} characters without NUL`)
  return name === '' ? undefined : { group: name, cancels: cancels === true || cancels === 'true' }
}

const stepNames = (steps: unknown): readonly string[] =>
  (Array.isArray(steps) ? steps.slice(0, MAX_STEPS) : []).filter(isMembers).map(stepName)

function stepName(step: Members): string {
  if (typeof step['run'] === 'string')
    return nameText(step['name']) || nameText(`Run ${step['run'].trim().split('\n', 1)[0]!}`)
  return nameText(step['name']) || nameText(`Run ${scalarText(step['uses']) ?? ''}`)
}

function readPermissions(value: unknown): string {
  if (value === 'read-all' || value === 'write-all')
    return JSON.stringify(Object.fromEntries(SCOPES.map((scope) => [scope, value.slice(0, -4)])))
  if (!isMembers(value)) return ''
  const levels = SCOPES.flatMap((scope) => {
    const level = value[scope]
    return level === 'read' || level === 'write' ? [[scope, level]] : []
  })
  return JSON.stringify(Object.fromEntries(levels))
}
