import type { Clock } from '../../../../../core/platform/clock.ts'
import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { ForgeApi } from '../../forge-api.ts'
import type {
  Pages,
  SourceComment,
  SourceIssue,
  SourcePull,
  SourceReaction,
  SourceScope,
  SourceTrackedTime,
  SourceUser,
} from '../../source.ts'
import { inOrder } from '../in-order.ts'
import { oldestFirst } from '../oldest-first.ts'
import {
  bodyOf,
  GHOST,
  isTrue,
  issueNumberOf,
  lineOf,
  membersOf,
  parseTime,
  numberAtEnd,
  present,
  readReactions,
  timesOf,
  userOf,
  usersOf,
  countOf,
} from '../read.ts'
import { readIssueBasics } from '../read-objects.ts'
import { readAsset } from './gitea-assets.ts'

/** A repository of Gitea. */
export interface Gitea {
  readonly api: ForgeApi
  /** Path of the repository in the API. */
  readonly repo: string
  readonly webUrl: string
  readonly clock: Clock
  /** Numbers of the only issues and pull requests that are read; undefined for all. */
  readonly only: ReadonlySet<number> | undefined
}

/** Requests side by side for details of items. */
export const AT_ONCE = 4
/** Old servers have no reactions, reviews and times; a unit of the repository may be disabled. */
export const LACKING = [404]
const PAGE = 50

/** The author at the service that an imported object came from, if this one was imported itself; its id says nothing. */
export function authorOf(object: Members, member = 'user'): SourceUser {
  const login = lineOf(object['original_author'])
  return login === '' ? userOf(object[member]) : { id: 0, login, email: '', isElsewhere: true }
}

/** Reads the reactions of an issue, a comment or a comment of a review. */
export const reactionsTo = async (
  { api, repo }: Gitea,
  object: string,
  signal: AbortSignal,
): Promise<readonly SourceReaction[]> =>
  readReactions(await api.find(`${repo}/issues/${object}/reactions`, signal)).map((reaction) =>
    isImported(reaction.user) ? { ...reaction, user: { ...reaction.user, isElsewhere: true } } : reaction,
  )

/** The name of an imported reaction contains the service that it came from, as `ann(github)`. */
const isImported = ({ id, login }: SourceUser): boolean => id === 0 && /[^(]\([^()]+\)$/.test(login)

/** Issues or pull requests by number. */
async function* itemsAfter(
  { api, repo, only }: Gitea,
  { list, query, after }: { readonly list: 'issues' | 'pulls'; readonly query: string; readonly after: number },
  signal: AbortSignal,
): Pages<unknown> {
  if (only === undefined) {
    const path = `${repo}/${list}?${query}`
    yield* oldestFirst(api, { path, key: 'number', after, absent: LACKING }, signal)
    return
  }
  const numbers = [...only].filter((number) => number > after).toSorted((a, b) => a - b)
  for (let at = 0; at < numbers.length; at += PAGE)
    yield present(
      await inOrder(numbers.slice(at, at + PAGE), { atOnce: AT_ONCE, signal }, (number, both) =>
        api.find(`${repo}/${list}/${number}`, both),
      ),
    )
}

export async function* readIssues(gitea: Gitea, after: number, signal: AbortSignal): Pages<SourceIssue> {
  const query = 'state=all&type=issues&sort=oldest'
  for await (const page of itemsAfter(gitea, { list: 'issues', query, after }, signal))
    yield present(
      await inOrder(page.map(members), { atOnce: AT_ONCE, signal }, async (issue, both) => {
        const number = issueNumberOf(issue['number'])
        // Servers before the parameter `type` list pull requests too.
        if (number === 0 || Object.keys(members(issue['pull_request'])).length > 0) return undefined
        return readIssue(gitea, issue, { number, reactions: await reactionsTo(gitea, String(number), both) })
      }),
    )
}

function readIssue(
  { webUrl, clock }: Gitea,
  issue: Members,
  { number, reactions }: { readonly number: number; readonly reactions: readonly SourceReaction[] },
): SourceIssue {
  return {
    ...readIssueBasics(issue, { now: clock.now(), milestone: 'id' }),
    number,
    author: authorOf(issue),
    isLocked: isTrue(issue['is_locked']),
    assignees: usersOf(issue['assignees']),
    dueAt: parseTime(issue['due_date']),
    ref: lineOf(issue['ref']),
    pinOrder: countOf(issue['pin_order']),
    timeEstimate: countOf(issue['time_estimate']),
    reactions,
    assets: membersOf(issue['assets']).map((asset) => readAsset(asset, webUrl)),
  }
}

export async function* readPulls(gitea: Gitea, after: number, signal: AbortSignal): Pages<SourcePull> {
  const { api, repo } = gitea
  for await (const page of itemsAfter(gitea, { list: 'pulls', query: 'state=all&sort=oldest', after }, signal))
    yield present(
      await inOrder(page.map(members), { atOnce: AT_ONCE, signal }, async (pull, both) => {
        const number = issueNumberOf(pull['number'])
        if (number === 0) return undefined
        // Only the issue has the files, the pin and the original author of the pull request.
        const issue = { ...pull, ...members(await api.find(`${repo}/issues/${number}`, both)) }
        const reactions = await reactionsTo(gitea, String(number), both)
        return readPull(pull, readIssue(gitea, issue, { number, reactions }))
      }),
    )
}

function readPull(pull: Members, issue: SourceIssue): SourcePull {
  const [base, head] = [members(pull['base']), members(pull['head'])]
  const [baseRepo, headRepo] = [members(base['repo']), members(head['repo'])]
  const ref = lineOf(head['ref'])
  // The ref of the pull request itself if the branch was deleted; the label still names it then.
  const isDeleted = ref.startsWith('refs/')
  const isSame = countOf(headRepo['id']) !== 0 && countOf(headRepo['id']) === countOf(baseRepo['id'])
  const mergedAt = parseTime(pull['merged_at'])
  const by = userOf(pull['merged_by'])
  return {
    ...issue,
    base: { branch: lineOf(base['ref']), oid: lineOf(base['sha']) },
    head: {
      branch: isDeleted ? lineOf(head['label']) || ref : ref,
      oid: lineOf(head['sha']),
      repo: isSame ? undefined : lineOf(headRepo['full_name']) || undefined,
      // An open one has its branch, unless it is that of a deleted fork, which some servers show as their own.
      isSameRepo: isSame && (!isDeleted || issue.isClosed),
    },
    headRef: `refs/pull/${issue.number}/head`,
    mergeBase: lineOf(pull['merge_base']),
    isDraft: isTrue(pull['draft']),
    allowsMaintainerEdit: isTrue(pull['allow_maintainer_edit']),
    merged:
      isTrue(pull['merged']) || mergedAt !== undefined
        ? {
            at: mergedAt ?? issue.closedAt ?? issue.updatedAt,
            oid: lineOf(pull['merge_commit_sha']),
            by: by === GHOST ? undefined : by,
            style: '',
          }
        : undefined,
    requestedReviewers: usersOf(pull['requested_reviewers']),
  }
}

export async function* readComments(gitea: Gitea, scope: SourceScope, signal: AbortSignal): Pages<SourceComment> {
  const { webUrl, clock } = gitea
  for await (const page of commentsAfter(gitea, scope, signal))
    yield present(
      await inOrder(page.map(members), { atOnce: AT_ONCE, signal }, async (comment, both) => {
        const ofPull = numberAtEnd(comment['pull_request_url'])
        const issue = ofPull || numberAtEnd(comment['issue_url'])
        if (issue === 0 || !(ofPull === 0 ? scope.issues : scope.pulls)) return undefined
        const id = countOf(comment['id'])
        return {
          ...timesOf(comment, clock.now()),
          id,
          issue,
          author: authorOf(comment),
          body: bodyOf(comment['body']),
          reactions: await reactionsTo(gitea, `comments/${id}`, both),
          assets: membersOf(comment['assets']).map((asset) => readAsset(asset, webUrl)),
        }
      }),
    )
}

async function* commentsAfter(
  { api, repo, only }: Gitea,
  { after, bookmark }: SourceScope,
  signal: AbortSignal,
): Pages<unknown> {
  if (only === undefined) {
    const path = `${repo}/issues/comments`
    yield* oldestFirst(api, { path, key: 'id', after, bookmark, absent: LACKING }, signal)
    return
  }
  for (const number of only) yield* api.pages(`${repo}/issues/${number}/comments`, signal, LACKING)
}

export async function* readTimes({ api, repo, clock, only }: Gitea, signal: AbortSignal): Pages<SourceTrackedTime> {
  const lists = only === undefined ? [`${repo}/times`] : [...only].map((number) => `${repo}/issues/${number}/times`)
  for (const list of lists) yield* readTimesOf({ api, clock }, list, signal)
}

async function* readTimesOf(
  { api, clock }: Pick<Gitea, 'api' | 'clock'>,
  path: string,
  signal: AbortSignal,
): Pages<SourceTrackedTime> {
  for await (const page of api.pages(path, signal, LACKING))
    yield page.map(members).flatMap((time) => {
      const issue = issueNumberOf(members(time['issue'])['number'])
      const login = lineOf(time['user_name'])
      const id = countOf(time['user_id'])
      const user = login === '' ? GHOST : { id, login, email: '', isElsewhere: id === 0 }
      const createdAt = parseTime(time['created']) ?? clock.now()
      return issue === 0 ? [] : [{ id: countOf(time['id']), issue, user, seconds: countOf(time['time']), createdAt }]
    })
}
