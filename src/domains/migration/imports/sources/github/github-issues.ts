import type { Clock } from '../../../../../core/platform/clock.ts'
import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { ForgeApi } from '../../forge-api.ts'
import type { Pages, SourceComment, SourceIssue, SourcePull, SourceReaction, SourceScope } from '../../source.ts'
import { inOrder } from '../in-order.ts'
import { oldestFirst } from '../oldest-first.ts'
import {
  bodyOf,
  GHOST,
  isTrue,
  issueNumberOf,
  lineOf,
  momentOf,
  numberAtEnd,
  present,
  readReactions,
  timesOf,
  userOf,
  usersOf,
  wholeOf,
} from '../read.ts'
import { readIssueBasics } from '../read-objects.ts'

/** A repository of GitHub. */
export interface Github {
  readonly api: ForgeApi
  /** Path of the repository in the API. */
  readonly repo: string
  readonly clock: Clock
  /** Statuses of lists that the service lacks. */
  readonly absent: readonly number[]
  /** A list with the numbers of all pull requests. */
  readonly pullsPath: string
}

/** GitHub asks for requests one after another. */
export const ONE_BY_ONE = 1

/** Asks for reactions only where their summary counts some; a list has no second page below 100. */
export async function reactionsOf(
  { api, repo }: Github,
  object: Members,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<readonly SourceReaction[]> {
  if (wholeOf(members(object['reactions'])['total_count']) === 0) return []
  const reactions: SourceReaction[] = []
  for await (const page of api.pages(`${repo}/${path}/reactions`, signal, [404])) {
    reactions.push(...readReactions(page))
    if (reactions.length >= MAX_REACTIONS) break
  }
  return reactions
}

const MAX_REACTIONS = 10_000

const isPull = (issue: Members): boolean => Object.keys(members(issue['pull_request'])).length > 0

export async function* readIssues(github: Github, after: number, signal: AbortSignal): Pages<SourceIssue> {
  const { api, repo, absent } = github
  const path = `${repo}/issues?state=all&sort=created&direction=asc`
  for await (const page of oldestFirst(api, { path, key: 'number', after, absent }, signal))
    yield present(
      await inOrder(page.map(members), { atOnce: ONE_BY_ONE, signal }, async (issue, both) => {
        const number = issueNumberOf(issue['number'])
        if (number === 0 || isPull(issue)) return undefined
        return readIssue(github, issue, { number, signal: both })
      }),
    )
}

async function readIssue(
  github: Github,
  issue: Members,
  { number, signal }: { readonly number: number; readonly signal: AbortSignal },
): Promise<SourceIssue> {
  return {
    ...readIssueBasics(issue, { now: github.clock.now(), milestone: 'number' }),
    number,
    isLocked: isTrue(issue['locked']),
    assignees: usersOf(issue['assignees']),
    dueAt: undefined,
    ref: '',
    pinOrder: 0,
    timeEstimate: 0,
    reactions: await reactionsOf(github, issue, { path: `issues/${number}`, signal }),
    assets: [],
  }
}

export async function* readPulls(github: Github, after: number, signal: AbortSignal): Pages<SourcePull> {
  const { api, repo, absent, pullsPath } = github
  const isOfIssues = pullsPath.startsWith('issues')
  for await (const page of oldestFirst(api, { path: `${repo}/${pullsPath}`, key: 'number', after, absent }, signal))
    yield present(
      await inOrder(page.map(members), { atOnce: ONE_BY_ONE, signal }, async (item, both) => {
        const number = issueNumberOf(item['number'])
        if (number === 0 || (isOfIssues && !isPull(item))) return undefined
        // Only the single pull request has who merged it, and only the issue has the summary of the reactions.
        const pull = { ...item, ...members(await api.find(`${repo}/pulls/${number}`, both)) }
        return readPull(pull, await readIssue(github, pull, { number, signal: both }))
      }),
    )
}

function readPull(pull: Members, issue: SourceIssue): SourcePull {
  const [base, head] = [members(pull['base']), members(pull['head'])]
  const [baseRepo, headRepo] = [members(base['repo']), members(head['repo'])]
  const isSameRepo = wholeOf(headRepo['id']) !== 0 && wholeOf(headRepo['id']) === wholeOf(baseRepo['id'])
  const mergedAt = momentOf(pull['merged_at'])
  const by = userOf(pull['merged_by'])
  return {
    ...issue,
    base: { branch: lineOf(base['ref']), oid: lineOf(base['sha']) },
    head: {
      branch: lineOf(head['ref']),
      oid: lineOf(head['sha']),
      repo: isSameRepo ? undefined : lineOf(headRepo['full_name']) || undefined,
      isSameRepo,
    },
    headRef: `refs/pull/${issue.number}/head`,
    mergeBase: '',
    isDraft: isTrue(pull['draft']),
    allowsMaintainerEdit: isTrue(pull['maintainer_can_modify']),
    merged:
      mergedAt === undefined
        ? undefined
        : { at: mergedAt, oid: lineOf(pull['merge_commit_sha']), by: by === GHOST ? undefined : by, style: '' },
    requestedReviewers: usersOf(pull['requested_reviewers']),
  }
}

/** One list has the comments of all issues and pull requests. */
export async function* readComments(github: Github, scope: SourceScope, signal: AbortSignal): Pages<SourceComment> {
  const { api, repo, clock, absent } = github
  const path = `${repo}/issues/comments?sort=created&direction=asc`
  const { after, bookmark } = scope
  for await (const page of oldestFirst(api, { path, key: 'id', after, bookmark, absent }, signal))
    yield present(
      await inOrder(page.map(members), { atOnce: ONE_BY_ONE, signal }, async (comment, both) => {
        const issue = numberAtEnd(comment['issue_url'])
        const isOfPull = /\/pull\/\d+(#|$)/.test(lineOf(comment['html_url']))
        if (issue === 0 || !(isOfPull ? scope.pulls : scope.issues)) return undefined
        const id = wholeOf(comment['id'])
        return {
          ...timesOf(comment, clock.now()),
          id,
          issue,
          author: userOf(comment['user']),
          body: bodyOf(comment['body']),
          reactions: await reactionsOf(github, comment, { path: `issues/comments/${id}`, signal: both }),
          assets: [],
        }
      }),
    )
}
