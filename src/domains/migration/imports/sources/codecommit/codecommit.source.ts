import { members, type Members } from '../../../../../core/platform/json-members.ts'
import { ForgeError } from '../../forge-error.ts'
import type { OpenSource } from '../../source-location.ts'
import type { Pages, SourceChange, SourceEvent, SourcePull } from '../../source.ts'
import { commentsByIssue, firstIssue } from '../comments-by-issue.ts'
import { inOrder } from '../in-order.ts'
import { LACKING, LACKING_OF_ISSUE } from '../lacking.ts'
import { bodyOf, GHOST, issueNumberOf, lineOf, linesOf, membersOf } from '../read.ts'
import { type Codecommit, eventsOf, mergeOf, openRepo, timeOf, userOf } from './codecommit.ts'
import { readReviews, readDiscussion } from './codecommit-discussion.ts'

const AT_ONCE = 4
const MAX_PULLS = 200_000
const PAGE = 50
const STYLES: ReadonlyMap<unknown, string> = new Map([
  ['THREE_WAY_MERGE', 'merge'],
  ['SQUASH_MERGE', 'squash'],
  ['FAST_FORWARD_MERGE', 'fast-forward-only'],
])

/** AWS CodeCommit, which has pull requests alone. Their numbers count those of all repositories of the account. */
export const openCodecommit: OpenSource = (deps, location) => {
  let opened: Codecommit | undefined
  const open = (): Codecommit => (opened ??= openRepo(deps, location))
  return {
    ...LACKING,
    async facts(signal) {
      const { api, name } = open()
      const answer = await api.call('GetRepository', { repositoryName: name }, signal)
      const facts = members(answer['repositoryMetadata'])
      return {
        description: bodyOf(facts['repositoryDescription']),
        website: '',
        topics: [],
        isPrivate: true,
        isArchived: false,
        defaultBranch: lineOf(facts['defaultBranch']),
      }
    },
    pulls: (after, signal) => readPulls(open(), after, signal),
    comments: ({ pulls, after }, signal) =>
      pulls
        ? commentsByIssue(listNumbers(open(), firstIssue(after) - 1, signal), after, (number) =>
            readDiscussion(open(), number, signal),
          )
        : LACKING.comments({ pulls, issues: false, after }, signal),
    events: ({ number }, signal) => readEvents(open(), number, signal),
    reviews: ({ number }, signal) => readReviews(open(), number, signal),
    async download() {
      throw new ForgeError('failed', 'CodeCommit has no files')
    },
  }
}

/** The API lists them in no order. */
async function* listNumbers({ api, name }: Codecommit, after: number, signal: AbortSignal): Pages<number> {
  const numbers = new Set<number>()
  for await (const page of api.pages('ListPullRequests', { repositoryName: name, maxResults: 100 }, signal)) {
    for (const id of linesOf(page['pullRequestIds'])) numbers.add(issueNumberOf(id))
    if (numbers.size >= MAX_PULLS) throw new ForgeError('failed', 'the list of the other server has no end')
  }
  const wanted = [...numbers].filter((number) => number > Math.max(0, after)).toSorted((one, other) => one - other)
  for (let start = 0; start < wanted.length; start += PAGE) yield wanted.slice(start, start + PAGE)
}

async function* readPulls(codecommit: Codecommit, after: number, signal: AbortSignal): Pages<SourcePull> {
  for await (const numbers of listNumbers(codecommit, after, signal))
    yield await inOrder(numbers, { atOnce: AT_ONCE, signal }, (number, both) => readPull(codecommit, number, both))
}

async function readPull(codecommit: Codecommit, number: number, signal: AbortSignal): Promise<SourcePull> {
  const { api, name, clock } = codecommit
  const answer = await api.call('GetPullRequest', { pullRequestId: String(number) }, signal)
  const pull = members(answer['pullRequest'])
  const targets = membersOf(pull['pullRequestTargets'])
  const target = targets.find(({ repositoryName }) => repositoryName === name) ?? members(targets[0])
  const createdAt = timeOf(pull['creationDate']) ?? clock.now()
  const isClosed = pull['pullRequestStatus'] === 'CLOSED'
  const merge = members(target['mergeMetadata'])
  if (membersOf(pull['approvalRules']).length > 0)
    codecommit.warn(`the approval rules of pull request ${number} were not imported: here only branches have rules`)
  const closed = isClosed ? (await eventsOf(codecommit, number, signal)).findLast(isEnd) : undefined
  const updatedAt = timeOf(pull['lastActivityDate']) ?? createdAt
  const closedAt = isClosed ? (timeOf(closed?.['eventDate']) ?? updatedAt) : undefined
  return {
    ...LACKING_OF_ISSUE,
    number,
    author: userOf(pull['authorArn']),
    title: lineOf(pull['title']),
    body: bodyOf(pull['description']),
    isClosed,
    createdAt,
    updatedAt,
    closedAt,
    labels: [],
    milestone: undefined,
    assignees: [],
    base: { branch: branchOf(target['destinationReference']), oid: lineOf(target['destinationCommit']) },
    head: {
      branch: branchOf(target['sourceReference']),
      oid: lineOf(target['sourceCommit']),
      repo: undefined,
      isSameRepo: true,
    },
    // It has no refs of pull requests: the commits of deleted branches that were not merged are lost.
    headRef: '',
    mergeBase: lineOf(target['mergeBase']),
    isDraft: false,
    allowsMaintainerEdit: false,
    merged: merge['isMerged'] === true ? { at: closedAt ?? updatedAt, ...mergedBy(merge) } : undefined,
    requestedReviewers: [],
  }
}

const branchOf = (ref: unknown): string => lineOf(ref).replace(/^refs\/heads\//, '')

function mergedBy(merge: Members): Omit<NonNullable<SourcePull['merged']>, 'at'> {
  const by = userOf(merge['mergedBy'])
  return {
    oid: lineOf(merge['mergeCommitId']),
    by: by === GHOST ? undefined : by,
    style: STYLES.get(merge['mergeOption']) ?? '',
  }
}

const statusOf = (event: Members): unknown =>
  members(event['pullRequestStatusChangedEventMetadata'])['pullRequestStatus']

const isEnd = (event: Members): boolean => statusOf(event) === 'CLOSED' || mergeOf(event) !== undefined

async function* readEvents(codecommit: Codecommit, number: number, signal: AbortSignal): Pages<SourceEvent> {
  const events = await eventsOf(codecommit, number, signal)
  // A merge closes the pull request by an event of its own.
  const isMerged = events.some((event) => mergeOf(event) !== undefined)
  yield events.flatMap((event) => {
    const change = changeOf(event)
    if (change === undefined || (change.kind === 'close' && isMerged && event === events.findLast(isClose))) return []
    const createdAt = timeOf(event['eventDate']) ?? codecommit.clock.now()
    return [{ ...change, issue: number, actor: userOf(event['actorArn']), createdAt }]
  })
}

const isClose = (event: Members): boolean => statusOf(event) === 'CLOSED'

function changeOf(event: Members): SourceChange | undefined {
  const merge = mergeOf(event)
  if (merge !== undefined) return { kind: 'merge_pull', oid: lineOf(merge['mergeCommitId']) }
  if (statusOf(event) !== undefined) return { kind: isClose(event) ? 'close' : 'reopen' }
  const pushed = lineOf(members(event['pullRequestSourceReferenceUpdatedEventMetadata'])['afterCommitId'])
  return pushed === '' ? undefined : { kind: 'pull_push', oids: [pushed], isForced: false }
}
