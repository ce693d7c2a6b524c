import { listOf, members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceComment, SourceIssue, SourceLabel, SourceScope, SourceTrackedTime } from '../../source.ts'
import { commentsByIssue, firstIssue } from '../comments-by-issue.ts'
import { inOrder } from '../in-order.ts'
import { LACKING_OF_ISSUE } from '../lacking.ts'
import { bodyOf, isTrue, issueNumberOf, lineOf, membersOf, parseTime, countOf } from '../read.ts'
import { AT_ONCE, idOf, listIssues, listPulls, type Onedev } from './onedev.ts'
import { assigneesOf, fieldsOf, isClosed, labelOf, labelValues, longFields } from './onedev-fields.ts'

const REACTIONS = ['thumbsUp', 'thumbsDown', 'smile', 'tada', 'confused', 'heart', 'rocket', 'eyes']
const MAX_LABELS = 10_000

const isShown = ({ location }: Onedev, issue: Members): boolean =>
  location.withConfidential || !isTrue(issue['confidential'])

export async function* readIssues(onedev: Onedev, after: number, signal: AbortSignal): Pages<SourceIssue> {
  const { warn } = onedev.location
  for await (const page of listIssues(onedev, after, signal)) {
    for (const issue of page.filter((each) => !isShown(onedev, each)))
      warn(`issue #${issueNumberOf(issue['number'])} was not imported: it is confidential`)
    const shown = page.filter((issue) => isShown(onedev, issue))
    yield await inOrder(shown, { atOnce: AT_ONCE, signal }, (issue, both) => readIssue(onedev, issue, both))
  }
}

async function readIssue(onedev: Onedev, issue: Members, signal: AbortSignal): Promise<SourceIssue> {
  const { api, pins, location } = onedev
  const [id, number] = [countOf(issue['id']), issueNumberOf(issue['number'])]
  const fields = fieldsOf(issue['fields'] ?? (await api.find(`/issues/${id}/fields`, signal)))
  const iterations = membersOf(await api.find(`/issues/${id}/iterations`, signal))
  const [milestone] = iterations
  if (iterations.length > 1)
    location.warn(`issue ${number} is in the first of its ${iterations.length} iterations only`)
  for (const field of longFields(fields))
    location.warn(`the field ${JSON.stringify(field)} of issue ${number} was not imported: its value is too long`)
  const basics = await readBasics(onedev, issue, { number, signal })
  const closed = isClosed(issue['state'])
  return {
    ...basics,
    isClosed: closed,
    closedAt: closed ? basics.updatedAt : undefined,
    labels: [...labelValues(issue, fields)].flatMap(([field, values]) => values.map((value) => labelOf(field, value))),
    milestone: milestone && String(countOf(milestone['id'])),
    assignees: assigneesOf(fields).map((login) => ({ id: 0, login, email: '' })),
    pinOrder: pins.get(number) ?? 0,
    // Minutes.
    timeEstimate: countOf(issue['ownEstimatedTime']) * 60,
  }
}

/** What issues and pull requests have in common. */
export async function readBasics(
  onedev: Onedev,
  item: Members,
  { number, signal }: { readonly number: number; readonly signal: AbortSignal },
) {
  if (REACTIONS.some((name) => countOf(item[`${name}Count`]) > 0))
    onedev.location.warn(`reactions to #${number} were not imported: the API of OneDev gives their number alone`)
  const createdAt = parseTime(item['submitDate']) ?? onedev.clock.now()
  return {
    ...LACKING_OF_ISSUE,
    number,
    author: await authorOf(onedev, item, { id: item['submitterId'], signal }),
    title: lineOf(item['title']),
    body: bodyOf(item['description']),
    createdAt,
    updatedAt: parseTime(members(item['lastActivity'])['date']) ?? createdAt,
  }
}

/** Somebody without an account writes by e-mail. */
async function authorOf(
  onedev: Onedev,
  item: Members,
  { id, signal }: { readonly id: unknown; readonly signal: AbortSignal },
): Promise<SourceIssue['author']> {
  const sender = members(item['onBehalfOf'])
  const login = lineOf(sender['personal']) || lineOf(sender['address'])
  return login === '' ? onedev.user(id, signal) : { id: 0, login, email: '', isElsewhere: true }
}

/** Labels of pull requests, and the values of fields of issues: exclusive if no issue has two of one field. */
export async function* readLabels(onedev: Onedev, signal: AbortSignal): Pages<SourceLabel> {
  const empty = { color: '', description: '', isExclusive: false, isArchived: false }
  for await (const page of onedev.api.pages('/label-specs', signal, [404]))
    yield page.map(members).map(({ name, color }) => ({ ...empty, name: lineOf(name), color: lineOf(color) }))
  const found = new Map<string, string>()
  const several = new Set<string>()
  for await (const page of onedev.location.withIssues ? listIssues(onedev, 0, signal) : [])
    for (const issue of page.filter((each) => isShown(onedev, each))) {
      const fields = issue['fields'] ?? (await onedev.api.find(`/issues/${countOf(issue['id'])}/fields`, signal))
      const values = labelValues(issue, fieldsOf(fields))
      const pairs = [...values].flatMap(([field, all]) => all.map((value) => [labelOf(field, value), field] as const))
      for (const [name, field] of pairs.slice(0, MAX_LABELS - found.size)) found.set(name, field)
      for (const [field, all] of values) if (all.length > 1) several.add(field)
    }
  yield [...found].map(([name, field]) => ({ ...empty, name, isExclusive: !several.has(field) }))
}

export async function* readTimes(onedev: Onedev, signal: AbortSignal): Pages<SourceTrackedTime> {
  if (!onedev.location.withIssues) return
  for await (const page of listIssues(onedev, 0, signal))
    for (const issue of page) {
      if (!isShown(onedev, issue) || countOf(issue['ownSpentTime'] ?? issue['totalSpentTime']) === 0) continue
      const works = membersOf(await onedev.api.find(`/issues/${countOf(issue['id'])}/works`, signal))
      yield await inOrder(works, { atOnce: AT_ONCE, signal }, async (work, both) => ({
        id: countOf(work['id']),
        issue: issueNumberOf(issue['number']),
        user: await onedev.user(work['userId'], both),
        seconds: countOf(work['minutes']) * 60,
        createdAt: parseTime(work['date']) ?? onedev.clock.now(),
      }))
    }
}

export async function* readComments(onedev: Onedev, scope: SourceScope, signal: AbortSignal): Pages<SourceComment> {
  const { api, clock, offset } = onedev
  yield* commentsByIssue(commented(onedev, scope, signal), scope.after, async (number) => {
    const isPull = number > offset
    const id = await idOf(onedev, { number, isPull }, signal)
    const comments = listOf(await api.find(`/${isPull ? 'pulls' : 'issues'}/${id}/comments`, signal)).map(members)
    const inTime = comments.toSorted((one, other) => countOf(one['id']) - countOf(other['id']))
    return inOrder(inTime, { atOnce: AT_ONCE, signal }, async (comment, both) => {
      const at = parseTime(comment['date']) ?? clock.now()
      return {
        author: await authorOf(onedev, comment, { id: comment['userId'], signal: both }),
        createdAt: at,
        updatedAt: at,
        body: bodyOf(comment['content']),
        reactions: [],
        assets: [],
      }
    })
  })
}

/** Numbers of issues and pull requests that have comments. */
async function* commented(onedev: Onedev, { issues, pulls, after }: SourceScope, signal: AbortSignal): Pages<number> {
  const hasComments = (item: Members): boolean => countOf(item['commentCount']) > 0
  const first = firstIssue(after) - 1
  if (issues)
    for await (const page of listIssues(onedev, first, signal))
      yield page
        .filter((issue) => hasComments(issue) && isShown(onedev, issue))
        .map((issue) => issueNumberOf(issue['number']))
  if (pulls)
    for await (const page of listPulls(onedev, first, signal))
      yield page.filter(hasComments).map((pull) => issueNumberOf(pull['number']) + onedev.offset)
}
