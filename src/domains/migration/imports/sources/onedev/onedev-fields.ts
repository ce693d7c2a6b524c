import { listOf, members, type Members } from '../../../../../core/platform/json-members.ts'
import { lineOf, linesOf, membersOf } from '../read.ts'

/** Values of the fields of an issue, by the name of the field. */
export type Fields = ReadonlyMap<string, readonly string[]>

const MAX_VALUE = 50
const ASSIGNEES = /^assignees?$/i
const OPEN = /^open$/i
/** States have free names. */
const CLOSED =
  /^(?:closed|completed|done|duplicated?|finished|fixed|invalid|rejected|released|resolved|cancell?ed|won't fix)$/i

/** Older versions answer with a list of values, newer ones with an object. */
export function fieldsOf(value: unknown): Fields {
  const fields = new Map<string, readonly string[]>()
  const add = (name: string, given: unknown): void => {
    const values = (Array.isArray(given) ? given : [given]).map((each) =>
      typeof each === 'number' || typeof each === 'boolean' ? String(each) : each,
    )
    if (name !== '') fields.set(name, [...(fields.get(name) ?? []), ...linesOf(values)])
  }
  if (Array.isArray(value)) for (const field of membersOf(listOf(value))) add(lineOf(field['name']), field['value'])
  else for (const [name, given] of Object.entries(members(value)).slice(0, 1_000)) add(lineOf(name), given)
  return fields
}

export const assigneesOf = (fields: Fields): readonly string[] =>
  [...fields].flatMap(([name, values]) => (ASSIGNEES.test(name) ? values : []))

export const isClosed = (state: unknown): boolean => CLOSED.test(lineOf(state))

/** The fields that become labels: those with short values, and a state other than open or closed. */
export function labelValues(issue: Members, fields: Fields): Fields {
  const state = lineOf(issue['state'])
  const values = new Map<string, readonly string[]>()
  if (state !== '' && !OPEN.test(state) && !isClosed(state)) values.set('State', [state])
  for (const [name, all] of fields) if (!ASSIGNEES.test(name)) values.set(name, all.filter(isShort))
  return values
}

/** Names of fields with values that are too long for a label. */
export const longFields = (fields: Fields): readonly string[] =>
  [...fields].flatMap(([name, values]) => (values.every(isShort) ? [] : [name]))

const isShort = (value: string): boolean => value.length <= MAX_VALUE && !value.includes('\n')

export const labelOf = (field: string, value: string): string => `${field}/${value}`
