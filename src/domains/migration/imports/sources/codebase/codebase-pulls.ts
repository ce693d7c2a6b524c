import { listOf, members, type Members } from '../../../../../core/platform/json-members.ts'
import type {
  Pages,
  SourceChange,
  SourceComment,
  SourceEvent,
  SourceItem,
  SourcePull,
  SourceScope,
} from '../../source.ts'
import { commentsByIssue, firstIssue } from '../comments-by-issue.ts'
import { LACKING_OF_ISSUE } from '../lacking.ts'
import { oldestFirst } from '../oldest-first.ts'
import { bodyOf, issueNumberOf, lineOf, parseTime, timesOf } from '../read.ts'
import { type Codebase, END, listTickets, userBy } from './codebase.ts'
import { describe, timesIn } from './codebase-tickets.ts'

const CLOSED = new Set<unknown>(['closed', 'merged', 'rejected'])
const EVENTS: ReadonlyMap<unknown, SourceChange> = new Map<string, SourceChange>([
  ['closed', { kind: 'close' }],
  ['reopened', { kind: 'reopen' }],
  ['merged', { kind: 'merge_pull', oid: '' }],
])

async function* listPulls({ api, repo, offset }: Codebase, after: number, signal: AbortSignal): Pages<Members> {
  const list = { path: `${repo}/merge_requests`, key: 'id', after: Math.max(0, after - offset), absent: END } as const
  for await (const page of oldestFirst(api, list, signal))
    yield page.map(members).filter((pull) => issueNumberOf(pull['id']) > 0)
}

export async function* readPulls(codebase: Codebase, after: number, signal: AbortSignal): Pages<SourcePull> {
  for await (const page of listPulls(codebase, after, signal)) yield page.map((pull) => readPull(codebase, pull))
}

/** The API has branches alone, so that the commits are those of the branch today. */
function readPull(codebase: Codebase, pull: Members): SourcePull {
  const times = timesOf(timesIn(pull), codebase.clock.now())
  const branch = lineOf(pull['source-ref'])
  const isClosed = CLOSED.has(pull['status'])
  return {
    ...LACKING_OF_ISSUE,
    ...times,
    number: issueNumberOf(pull['id']) + codebase.offset,
    author: userBy(codebase, pull['user-id']),
    title: lineOf(pull['subject']),
    body: bodyOf(pull['description']),
    isClosed,
    closedAt: isClosed ? times.updatedAt : undefined,
    labels: [],
    milestone: undefined,
    assignees: [],
    base: { branch: lineOf(pull['target-ref']), oid: '' },
    head: { branch, oid: '', repo: undefined, isSameRepo: true },
    headRef: `refs/heads/${branch}`,
    mergeBase: '',
    isDraft: false,
    allowsMaintainerEdit: false,
    merged: pull['status'] === 'merged' ? { at: times.updatedAt, oid: '', by: undefined, style: '' } : undefined,
    requestedReviewers: [],
  }
}

/** Comments of a merge request, which also record its changes of state. */
async function readDiscussion(
  { api, repo, offset }: Codebase,
  number: number,
  signal: AbortSignal,
): Promise<readonly Members[]> {
  const pull = members(await api.find(`${repo}/merge_requests/${number - offset}`, signal))
  return listOf(pull['comments']).map(members)
}

export async function* readEvents(codebase: Codebase, of: SourceItem, signal: AbortSignal): Pages<SourceEvent> {
  if (!of.isPull) return
  const discussion = await readDiscussion(codebase, of.number, signal)
  yield discussion.flatMap((comment) => {
    const change = EVENTS.get(comment['action'])
    const createdAt = parseTime(comment['created-at']) ?? codebase.clock.now()
    return change === undefined
      ? []
      : [{ ...change, issue: of.number, actor: userBy(codebase, comment['user-id']), createdAt }]
  })
}

/** Notes without a text only record changes of properties. */
export async function* readComments(codebase: Codebase, scope: SourceScope, signal: AbortSignal): Pages<SourceComment> {
  const { offset, clock } = codebase
  const tickets = new Map<number, Members>()
  yield* commentsByIssue(numbersOf(codebase, { scope, tickets, signal }), scope.after, async (number) => {
    const ticket = tickets.get(number)
    tickets.delete(number)
    const discussion =
      number > offset || ticket === undefined
        ? await readDiscussion(codebase, number, signal)
        : (await describe(codebase, ticket, signal)).notes
    return discussion
      .filter(({ content }) => bodyOf(content) !== '')
      .map((note) => ({
        ...timesOf(timesIn(note), clock.now()),
        author: userBy(codebase, note['user-id']),
        body: bodyOf(note['content']),
        reactions: [],
        assets: [],
      }))
  })
}

interface Numbers {
  readonly scope: SourceScope
  /** Gets the tickets of the page that is read. */
  readonly tickets: Map<number, Members>
  readonly signal: AbortSignal
}

async function* numbersOf(codebase: Codebase, { scope, tickets, signal }: Numbers): Pages<number> {
  const first = firstIssue(scope.after) - 1
  if (scope.issues)
    for await (const page of listTickets(codebase, first, signal)) {
      for (const ticket of page) tickets.set(issueNumberOf(ticket['ticket-id']), ticket)
      yield page.map((ticket) => issueNumberOf(ticket['ticket-id']))
    }
  if (scope.pulls)
    for await (const page of listPulls(codebase, first, signal))
      yield page.map((pull) => issueNumberOf(pull['id']) + codebase.offset)
}
