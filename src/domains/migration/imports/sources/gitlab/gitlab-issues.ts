import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceComment, SourceIssue, SourceReaction, SourceScope } from '../../source.ts'
import { inOrder } from '../in-order.ts'
import { oldestFirst } from '../oldest-first.ts'
import {
  bodyOf,
  isTrue,
  issueNumberOf,
  lineOf,
  linesOf,
  membersOf,
  parseTime,
  present,
  timesOf,
  userOf,
  usersOf,
  countOf,
} from '../read.ts'
import { type Gitlab, LACKING } from './gitlab.ts'
import { labelName } from './gitlab-text.ts'

export const AT_ONCE = 4
/** Notes of one issue. Their ids are numbers below this one, in the order of the list. */
const MAX_NOTES = 100_000

const REACTIONS: ReadonlyMap<string, string> = new Map([
  ['thumbsup', '+1'],
  ['thumbsdown', '-1'],
  ['laughing', 'laugh'],
  ['tada', 'hooray'],
  ['confused', 'confused'],
  ['heart', 'heart'],
  ['rocket', 'rocket'],
  ['eyes', 'eyes'],
])

/** `object` is a path below the project, such as `issues/3/notes/7`. */
export async function reactionsTo(
  { api, project }: Gitlab,
  object: string,
  signal: AbortSignal,
): Promise<readonly SourceReaction[]> {
  const reactions: SourceReaction[] = []
  for await (const page of api.pages(`${project}/${object}/award_emoji`, signal, LACKING)) {
    for (const { name, user, created_at: at } of membersOf(page)) {
      const content = REACTIONS.get(lineOf(name))
      if (content !== undefined) reactions.push({ user: userOf(user, 'username'), content, createdAt: parseTime(at) })
    }
    if (reactions.length >= 10_000) break
  }
  return reactions
}

export interface ReadOptions {
  /** Whether confidential issues and internal notes are imported. */
  readonly withConfidential: boolean
  warn(text: string): void
}

/** All issues that are imported, as the service has them. */
export async function* listIssues(
  gitlab: Gitlab,
  after: number,
  options: ReadOptions,
  signal: AbortSignal,
): Pages<Members> {
  const { api, project, issues } = gitlab
  const list = { path: `${project}/issues?${issues}`, key: 'iid', after, absent: LACKING } as const
  for await (const page of oldestFirst(api, list, signal))
    yield page.map(members).filter((issue) => {
      if (issueNumberOf(issue['iid']) === 0) return false
      if (!isTrue(issue['confidential']) || options.withConfidential) return true
      options.warn(`issue #${issueNumberOf(issue['iid'])} was not imported: it is confidential`)
      return false
    })
}

export async function* readIssues(
  gitlab: Gitlab,
  after: number,
  options: ReadOptions,
  signal: AbortSignal,
): Pages<SourceIssue> {
  for await (const page of listIssues(gitlab, after, options, signal))
    yield await inOrder(page, { atOnce: AT_ONCE, signal }, async (issue, both) => {
      const number = issueNumberOf(issue['iid'])
      return { ...readBasics(gitlab, issue), number, reactions: await reactionsTo(gitlab, `issues/${number}`, both) }
    })
}

/** What issues and merge requests have in common. */
export function readBasics({ clock }: Gitlab, issue: Members): Omit<SourceIssue, 'number' | 'reactions'> {
  const milestone = countOf(members(issue['milestone'])['id'])
  return {
    author: userOf(issue['author'], 'username'),
    title: lineOf(issue['title']),
    body: bodyOf(issue['description']),
    isClosed: issue['state'] === 'closed' || issue['state'] === 'merged',
    isLocked: isTrue(issue['discussion_locked']),
    ...timesOf(issue, clock.now()),
    labels: linesOf(issue['labels']).map(labelName),
    milestone: milestone === 0 ? undefined : String(milestone),
    assignees: usersOf(issue['assignees'], 'username'),
    dueAt: parseTime(issue['due_date']),
    ref: '',
    pinOrder: 0,
    timeEstimate: countOf(members(issue['time_stats'])['time_estimate']),
    assets: [],
  }
}

/**
 * There is no list of all comments: those of one issue are read after those of another. Their ids here are the number
 * of the issue with the place in its list, so that they increase.
 */
export async function* readComments(
  gitlab: Gitlab,
  scope: SourceScope,
  options: ReadOptions,
  signal: AbortSignal,
): Pages<SourceComment> {
  const [number, place] = [Math.floor(scope.after / MAX_NOTES), scope.after % MAX_NOTES]
  const notesOf = (notes: Notes): Pages<SourceComment> => readNotes(gitlab, notes, options, signal)
  if (scope.issues)
    for await (const page of listIssues(gitlab, number - 1, { ...options, warn: () => {} }, signal))
      for (const issue of page) {
        const iid = issueNumberOf(issue['iid'])
        if (issue['user_notes_count'] === undefined || countOf(issue['user_notes_count']) > 0)
          yield* notesOf({ list: `issues/${iid}`, number: iid, after: iid === number ? place : 0 })
      }
  if (!scope.pulls) return
  const { api, project, offset } = gitlab
  const path = `${project}/merge_requests?scope=all&state=all&order_by=created_at&sort=asc`
  const list = { path, key: 'iid', after: Math.max(0, number - offset - 1), absent: LACKING } as const
  for await (const page of oldestFirst(api, list, signal))
    for (const pull of page.map(members)) {
      const iid = issueNumberOf(pull['iid'])
      const of = { list: `merge_requests/${iid}`, number: iid + offset, after: iid + offset === number ? place : 0 }
      if (iid > 0) yield* notesOf(of)
    }
}

interface Notes {
  readonly list: string
  readonly number: number
  /** Skips so many notes. */
  readonly after: number
}

/** Internal notes are shown to members of the project alone. */
export function mayRead(note: Members, { withConfidential, warn }: ReadOptions, what: string): boolean {
  if (withConfidential || !(isTrue(note['internal']) || isTrue(note['confidential']))) return true
  warn(`the comment ${what} was not imported: it is internal`)
  return false
}

/** Omits events, and comments on lines of a diff, which belong to reviews. */
async function* readNotes(
  gitlab: Gitlab,
  { list, number, after }: Notes,
  options: ReadOptions,
  signal: AbortSignal,
): Pages<SourceComment> {
  const { api, project, clock } = gitlab
  let place = 0
  for await (const page of api.pages(`${project}/${list}/notes?sort=asc&order_by=created_at`, signal, LACKING)) {
    const notes = page.map(members).map((note) => ({ note, place: ++place }))
    if (place >= MAX_NOTES) return
    yield present(
      await inOrder(notes, { atOnce: AT_ONCE, signal }, async ({ note, place: own }, both) => {
        if (own <= after || isTrue(note['system']) || note['type'] === 'DiffNote') return undefined
        if (!mayRead(note, options, `${list}/notes/${countOf(note['id'])}`)) return undefined
        return {
          ...timesOf(note, clock.now()),
          id: number * MAX_NOTES + own,
          issue: number,
          author: userOf(note['author'], 'username'),
          body: bodyOf(note['body']),
          reactions: await reactionsTo(gitlab, `${list}/notes/${countOf(note['id'])}`, both),
          assets: [],
        }
      }),
    )
  }
}
