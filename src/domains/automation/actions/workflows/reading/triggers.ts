import { nextTime } from './cron.ts'
import { isMembers, type Members, readWords, scalarText, WorkflowProblem } from './problem.ts'

/** An event that starts a workflow. Absent filters match everything. */
export interface Trigger {
  /** The name below `on`. */
  readonly event: string
  readonly types?: readonly string[]
  readonly filters: Filters
}

export type Filters = { readonly [Name in (typeof FILTERS)[number]]?: readonly string[] }

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

const FILTERS = ['branches', 'branches-ignore', 'tags', 'tags-ignore', 'paths', 'paths-ignore', 'workflows'] as const
const MAX_INPUTS = 100
const MAX_CRONS = 20
const MAX_TRIGGERS = 100

/** Reads `on`; names of events that do not exist are accepted and never happen. */
export function readTriggers(on: unknown): readonly Trigger[] {
  if (typeof on === 'string' || Array.isArray(on)) return readWords(on, ['on']).map((event) => ({ event, filters: {} }))
  if (!isMembers(on)) throw new WorkflowProblem(['on'], 'must name at least one event')
  const entries = Object.entries(on)
  if (entries.length > MAX_TRIGGERS) throw new WorkflowProblem(['on'], `has more than ${MAX_TRIGGERS} events`)
  return entries.map(([event, value]) => readTrigger(event, isMembers(value) ? value : {}))
}

function readTrigger(event: string, value: Members): Trigger {
  const filters = Object.fromEntries(
    FILTERS.filter((name) => value[name] !== undefined && value[name] !== null).map((name) => [
      name,
      readWords(value[name], ['on', event, name]),
    ]),
  )
  const types = value['types'] === undefined ? {} : { types: readWords(value['types'], ['on', event, 'types']) }
  return { event, ...types, filters }
}

/** The cron expressions of `on.schedule`. */
export function readCrons(on: unknown): readonly string[] {
  const list = isMembers(on) ? on['schedule'] : undefined
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) throw new WorkflowProblem(['on', 'schedule'], 'must be a list of cron expressions')
  if (list.length > MAX_CRONS) throw new WorkflowProblem(['on', 'schedule'], `has more than ${MAX_CRONS} entries`)
  return list.map((entry, index) => {
    const cron = isMembers(entry) ? scalarText(entry['cron']) : undefined
    if (cron === undefined) throw new WorkflowProblem(['on', 'schedule', index], 'must have a cron expression')
    // NOTE: a fixed time, because the result is cached: expressions mean times in any year, or in none.
    if (nextTime(cron, 0) === undefined)
      throw new WorkflowProblem(['on', 'schedule', index, 'cron'], `is no cron expression of five fields: ${cron}`)
    return cron
  })
}

/** The inputs of `on.workflow_dispatch`; undefined if the workflow does not have this trigger. */
export function readInputs(on: unknown): readonly WorkflowInput[] | undefined {
  if (on === 'workflow_dispatch' || (Array.isArray(on) && on.includes('workflow_dispatch'))) return []
  if (!isMembers(on) || !('workflow_dispatch' in on)) return undefined
  const dispatch = on['workflow_dispatch']
  const inputs = Object.entries(isMembers(dispatch) && isMembers(dispatch['inputs']) ? dispatch['inputs'] : {})
  if (inputs.length > MAX_INPUTS)
    throw new WorkflowProblem(['on', 'workflow_dispatch', 'inputs'], `has more than ${MAX_INPUTS} inputs`)
  return inputs.map(([name, input]) => {
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
