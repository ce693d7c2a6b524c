import { listOf, members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceIssue, SourceLabel } from '../../source.ts'
import { inOrder } from '../in-order.ts'
import { LACKING_OF_ISSUE } from '../lacking.ts'
import { bodyOf, isTrue, issueNumberOf, lineOf, parseTime, timesOf, countOf } from '../read.ts'
import { type Codebase, listTickets, type Named, userBy } from './codebase.ts'

const TYPES = ['bug', 'enhancement', 'task']

/** Categories, priorities, statuses and types as exclusive labels, and tags. */
export async function* readLabels(codebase: Codebase, signal: AbortSignal): Pages<SourceLabel> {
  const { categories, priorities, statuses } = codebase.properties
  const label = (name: string, color = '', isExclusive = true): SourceLabel => ({
    name,
    color,
    description: '',
    isExclusive,
    isArchived: false,
  })
  const named = (kind: string, values: ReadonlyMap<number, Named>): SourceLabel[] =>
    [...values.values()].map(({ name, color }) => label(`${kind}/${name}`, color))
  yield [
    ...named('Category', categories),
    ...named('Priority', priorities),
    ...named('Status', statuses),
    ...TYPES.map((type) => label(`Type/${type}`)),
  ]
  const seen = new Set<string>(TYPES.map((type) => `Type/${type}`))
  for await (const page of codebase.location.withIssues ? listTickets(codebase, 0, signal) : []) {
    const found = page.flatMap((ticket) => [...typesOf(ticket), ...tagsOf(ticket)])
    const fresh = [...new Set(found)].filter((name) => !seen.has(name) && seen.size < 10_000)
    for (const name of fresh) seen.add(name)
    yield fresh.map((name) => label(name, '', name.startsWith('Type/')))
  }
}

const typesOf = (ticket: Members): readonly string[] => {
  const type = lineOf(ticket['ticket-type'])
  return type === '' ? [] : [`Type/${type.toLowerCase()}`]
}

const tagsOf = (ticket: Members): readonly string[] =>
  lineOf(ticket['tags'])
    .split(/[\s,]+/)
    .filter(Boolean)

export async function* readIssues(codebase: Codebase, after: number, signal: AbortSignal): Pages<SourceIssue> {
  for await (const page of listTickets(codebase, after, signal))
    yield await inOrder(page, { atOnce: 1, signal }, (ticket, both) => readTicket(codebase, ticket, both))
}

async function readTicket(codebase: Codebase, ticket: Members, signal: AbortSignal): Promise<SourceIssue> {
  const { properties, location, clock } = codebase
  const number = issueNumberOf(ticket['ticket-id'])
  const files = listOf(ticket['upload-tokens']).length
  if (files > 0) location.warn(`${files} files of issue ${number} were not imported: Codebase's API gives tokens alone`)
  const status = properties.statuses.get(countOf(ticket['status-id']))
  const isClosed = status?.isClosed ?? false
  const times = timesOf(timesIn(ticket), clock.now())
  const named = (['Category', 'Priority', 'Status'] as const).flatMap((kind) => {
    const values = { Category: properties.categories, Priority: properties.priorities, Status: properties.statuses }
    const value = values[kind].get(countOf(ticket[`${kind.toLowerCase()}-id`]))
    return value === undefined ? [] : [`${kind}/${value.name}`]
  })
  const { body, hidden } = await describe(codebase, ticket, signal)
  if (hidden > 0) location.warn(`${hidden} notes of issue ${number} were not imported: they are private`)
  const milestone = countOf(ticket['milestone-id'])
  return {
    ...LACKING_OF_ISSUE,
    ...times,
    number,
    author: userBy(codebase, ticket['reporter-id'], ticket['reporter']),
    title: lineOf(ticket['summary']),
    body,
    isClosed,
    // When it was closed is not in the API.
    closedAt: isClosed ? times.updatedAt : undefined,
    labels: [...named, ...typesOf(ticket), ...tagsOf(ticket)],
    milestone: milestone === 0 ? undefined : String(milestone),
    assignees:
      countOf(ticket['assignee-id']) === 0 ? [] : [userBy(codebase, ticket['assignee-id'], ticket['assignee'])],
    dueAt: parseTime(ticket['deadline']),
    timeEstimate: countOf(ticket['estimated-time']) * 60,
  }
}

/** Times of creation and of the last change under the names that other services use. */
export const timesIn = (value: Members): Members => ({
  created_at: value['created-at'],
  updated_at: value['updated-at'],
})

interface Described {
  readonly body: string
  readonly notes: readonly Members[]
  /** The number of private notes that are omitted. */
  readonly hidden: number
}

/** The text of a ticket is its first note, unless it has a description of its own. */
export async function describe(codebase: Codebase, ticket: Members, signal: AbortSignal): Promise<Described> {
  const { api, project, location } = codebase
  const number = issueNumberOf(ticket['ticket-id'])
  const path = `${project}/tickets/${number}/notes`
  const all = listOf(await api.find(path, signal)).map(members)
  const notes = all
    .filter((note) => location.withConfidential || !isPrivate(note))
    .toSorted((one, other) => countOf(one['id']) - countOf(other['id']))
  const hidden = all.length - notes.length
  const body = bodyOf(ticket['description'])
  return body === '' ? { body: bodyOf(notes[0]?.['content']), notes: notes.slice(1), hidden } : { body, notes, hidden }
}

const isPrivate = (note: Members): boolean => isTrue(note['private']) || note['private'] === '1'
