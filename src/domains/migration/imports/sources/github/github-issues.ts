import type { Clock } from '../../../../../core/platform/clock.ts'
import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { ForgeApi } from '../../forge-api.ts'
import type { Pages, SourceIssue, SourcePull, SourceReaction } from '../../source.ts'
import { inOrder } from '../in-order.ts'
import { mergeAscending } from '../merge-ascending.ts'
import { oldestFirst } from '../oldest-first.ts'
import {
  GHOST,
  isTrue,
  issueNumberOf,
  lineOf,
  parseTime,
  present,
  readReactions,
  userOf,
  usersOf,
  countOf,
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
  /** Whether this is GitHub: of others, a part of the API is expected. */
  readonly isComplete: boolean
  /** Lists that contain all issues, and maybe pull requests. */
  readonly issueLists: readonly string[]
  /** Lists that contain all pull requests, and maybe issues. */
  readonly pullLists: readonly string[]
  warn(text: string): void
}

/** GitHub asks for requests one after another. */
export const ONE_BY_ONE = 1

/** Requests reactions only if their summary counts some; a list has no second page below 100. */
export async function reactionsOf(
  { api, repo }: Github,
  object: Members,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<readonly SourceReaction[]> {
  if (countOf(members(object['reactions'])['total_count']) === 0) return []
  const reactions: SourceReaction[] = []
  for await (const page of api.pages(`${repo}/${path}/reactions`, signal, [404])) {
    reactions.push(...readReactions(page))
    if (reactions.length >= MAX_REACTIONS) break
  }
  return reactions
}

const MAX_REACTIONS = 10_000

export const isPull = (issue: Members): boolean => Object.keys(members(issue['pull_request'])).length > 0

interface Part {
  /** Skips numbers up to this one. */
  readonly after: number
  readonly signal: AbortSignal
}

const numberOf = (item: unknown): number => issueNumberOf(members(item)['number'])

/** The items of lists in one order. */
export async function* listed(
  { api, repo, absent }: Github,
  lists: readonly string[],
  { after, signal }: Part,
): Pages<Members> {
  const all = lists
    .map((list) => oldestFirst(api, { path: `${repo}/${list}`, key: 'number', after, absent }, signal))
    .reduce((one, other) => mergeAscending(one, other, numberOf))
  for await (const page of all) yield page.map(members)
}

export async function* readIssues(github: Github, after: number, signal: AbortSignal): Pages<SourceIssue> {
  for await (const page of listed(github, github.issueLists, { after, signal }))
    yield present(
      await inOrder(page, { atOnce: ONE_BY_ONE, signal }, async (issue, both) => {
        const number = issueNumberOf(issue['number'])
        if (number === 0 || isPull(issue)) return undefined
        if (countOf(members(issue['sub_issues_summary'])['total']) > 0)
          github.warn(`the sub-issues of issue ${number} are issues without a parent here: this server has no parents`)
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
  const { api, repo, isComplete, pullLists } = github
  for await (const page of listed(github, pullLists, { after, signal }))
    yield present(
      await inOrder(page, { atOnce: ONE_BY_ONE, signal }, async (item, both) => {
        const number = issueNumberOf(item['number'])
        if (number === 0 || (isComplete && !isPull(item))) return undefined
        // Only the single pull request names who merged it, and only the issue has the summary of the reactions.
        const pull = { ...item, ...members(await api.find(`${repo}/pulls/${number}`, both)) }
        return readPull(pull, await readIssue(github, pull, { number, signal: both }))
      }),
    )
}

function readPull(pull: Members, issue: SourceIssue): SourcePull {
  const [base, head] = [members(pull['base']), members(pull['head'])]
  const [baseRepo, headRepo] = [members(base['repo']), members(head['repo'])]
  const isSameRepo = countOf(headRepo['id']) !== 0 && countOf(headRepo['id']) === countOf(baseRepo['id'])
  const mergedAt = parseTime(pull['merged_at'])
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
