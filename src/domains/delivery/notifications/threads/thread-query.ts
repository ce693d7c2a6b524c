import { Type, type Static } from '@sinclair/typebox'
import { Timestamp } from '../../../../core/http/answer/text.ts'
import { LIST_ITEMS, NAME_LENGTH, TIME_LENGTH } from '../../../../core/http/body/limits.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import { endOfSecond, parseTimestamp, startOfSecond } from '../../../../core/platform/timestamp.ts'
import { THREAD_STATUSES, type ThreadKind, type ThreadStatus } from './thread.store.ts'
import type { OwnFilter } from './threads.service.ts'

const words = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS, description }))
const word = (description: string) => Type.Optional(Type.String({ maxLength: NAME_LENGTH, description }))

export const listQuery = Type.Object({
  ...pagingMembers,
  all: Type.Optional(Type.Boolean({ description: 'Threads of every status' })),
  'status-types': words('unread, read, pinned; unread and pinned by default'),
  'subject-type': words('issue, pull, commit, repository; all by default'),
  since: Type.Optional(Timestamp({ description: 'Threads updated at this time or later' })),
  before: Type.Optional(Timestamp({ description: 'Threads updated at this time or earlier' })),
})

export const markQuery = Type.Object({
  all: Type.Optional(Type.Boolean({ description: 'Threads of every status' })),
  'status-types': words('unread, read, pinned; unread by default'),
  'to-status': word('unread, read or pinned; read by default'),
  last_read_at: Type.Optional(
    Type.String({ maxLength: TIME_LENGTH, description: 'Only threads updated at this time or earlier' }),
  ),
})

export const statusQuery = Type.Object({ 'to-status': word('unread, read or pinned; read by default') })

const isStatus = (text: string): text is ThreadStatus => (THREAD_STATUSES as readonly string[]).includes(text)

const KINDS: ReadonlyMap<string, ThreadKind> = new Map([
  ['issue', 'issue'],
  ['pull', 'pull'],
  ['repository', 'repository'],
])

/** Ignores unknown names; without a known name there is no filter (behaviour/issues#notifications). */
export function readListFilter(query: Static<typeof listQuery>): OwnFilter {
  const { all, 'status-types': statusTypes, 'subject-type': subjectTypes = [] } = query
  const statuses = statusTypes?.filter(isStatus) ?? ['unread', 'pinned']
  const names = subjectTypes.map((name) => name.toLowerCase()).filter((name) => name === 'commit' || KINDS.has(name))
  return {
    statuses: all === true || statuses.length === 0 ? THREAD_STATUSES : [...new Set(statuses)],
    kinds: names.length === 0 ? undefined : names.flatMap((name) => KINDS.get(name) ?? []),
    since: query.since === undefined ? undefined : startOfSecond(parseTimestamp(query.since)!),
    before: query.before === undefined ? undefined : endOfSecond(parseTimestamp(query.before)!),
  }
}

/** Throws BadRequest for an invalid time. */
export function readMarkFilter(query: Static<typeof markQuery>): OwnFilter {
  const statuses = query['status-types']?.filter(isStatus) ?? []
  const { all, last_read_at: lastReadAt } = query
  const before = lastReadAt === undefined ? undefined : parseTimestamp(lastReadAt)
  if (lastReadAt !== undefined && before === undefined)
    throw badRequest(`parsing time ${JSON.stringify(lastReadAt)} as RFC 3339: cannot parse (last_read_at)`)
  return {
    statuses: all === true ? THREAD_STATUSES : statuses.length === 0 ? ['unread'] : [...new Set(statuses)],
    before: before === undefined ? undefined : endOfSecond(before),
  }
}

export const readToStatus = (text: string | undefined): ThreadStatus =>
  text !== undefined && isStatus(text) ? text : 'read'
