import type { Clock } from '../../../../../core/platform/clock.ts'
import { listOf, members, type Members } from '../../../../../core/platform/json-members.ts'
import { createForgeApi, type ForgeApi } from '../../forge-api.ts'
import type { OpenSource } from '../../source-location.ts'
import type { Pages, SourceComment, SourceIssue } from '../../source.ts'
import { commentsByIssue, firstIssue } from '../comments-by-issue.ts'
import { LACKING, LACKING_OF_ISSUE } from '../lacking.ts'
import { basicOf, splitPath } from '../location.ts'
import { mergeAscending } from '../merge-ascending.ts'
import { oldestFirst } from '../oldest-first.ts'
import { bodyOf, isTrue, issueNumberOf, lineOf, timesOf, userOf, usersOf } from '../read.ts'
import { readIssueBasics, readLabel, readMilestone } from '../read-objects.ts'

/** A unit may be disabled. */
const ABSENT = [404]

interface Gogs {
  readonly api: ForgeApi
  readonly repo: string
  readonly clock: Clock
}

/**
 * Gogs (API v1), which has neither releases nor the commits of pull requests: these are read as issues, so that their
 * numbers and comments are preserved.
 */
export const openGogs: OpenSource = ({ client, timeout, patience }, location) => {
  const { webUrl, path } = splitPath(location)
  const repo = `/repos/${path}`
  const api = createForgeApi({
    client,
    timeout,
    patience,
    base: `${webUrl}/api/v1`,
    webUrl,
    credentials: location.token === '' ? basicOf(location) : [{ authorization: `token ${location.token}` }],
    perPage: ['limit', 10],
  })
  const gogs: Gogs = { api, repo, clock: patience.clock }
  return {
    ...LACKING,
    async facts(signal) {
      const facts = members(await api.get(repo, signal))
      return {
        description: bodyOf(facts['description']),
        website: lineOf(facts['website']),
        topics: [],
        isPrivate: isTrue(facts['private']),
        isArchived: false,
        defaultBranch: lineOf(facts['default_branch']),
      }
    },
    async *labels(signal) {
      for await (const page of api.pages(`${repo}/labels`, signal, ABSENT)) yield page.map(readLabel)
    },
    async *milestones(signal) {
      for await (const page of api.pages(`${repo}/milestones`, signal, ABSENT))
        yield page.map((value) => readMilestone(value, 'id'))
    },
    async *issues(after, signal) {
      let hasPulls = false
      for await (const page of listIssues(gogs, after, signal)) {
        if (!hasPulls && page.some(isPull)) {
          hasPulls = true
          location.warn('pull requests were imported as issues: Gogs does not show their commits')
        }
        yield page.map((issue) => readIssue(gogs, issue))
      }
    },
    comments: (scope, signal) =>
      scope.issues ? readComments(gogs, scope.after, signal) : LACKING.comments(scope, signal),
    download: ({ url, headers }, signal, consume) => api.download(url, { headers, signal }, consume),
  }
}

const isPull = (issue: Members): boolean => Object.keys(members(issue['pull_request'])).length > 0

/** Open and closed issues are two lists. */
async function* listIssues({ api, repo }: Gogs, after: number, signal: AbortSignal): Pages<Members> {
  const list = (state: string): Pages<unknown> =>
    oldestFirst(api, { path: `${repo}/issues?state=${state}`, key: 'number', after, absent: ABSENT }, signal)
  const keyOf = (issue: unknown): number => issueNumberOf(members(issue)['number'])
  for await (const page of mergeAscending(list('open'), list('closed'), keyOf))
    yield page.map(members).filter((issue) => keyOf(issue) > 0)
}

function readIssue({ clock }: Gogs, issue: Members): SourceIssue {
  const basics = readIssueBasics(issue, { now: clock.now(), milestone: 'id' })
  return {
    ...basics,
    ...LACKING_OF_ISSUE,
    number: issueNumberOf(issue['number']),
    closedAt: basics.isClosed ? (basics.closedAt ?? basics.updatedAt) : undefined,
    assignees: usersOf([issue['assignee']]),
  }
}

async function* commented(gogs: Gogs, after: number, signal: AbortSignal): Pages<number> {
  for await (const page of listIssues(gogs, after, signal))
    yield page.filter(({ comments }) => comments !== 0).map(({ number }) => issueNumberOf(number))
}

const readComments = (gogs: Gogs, after: number, signal: AbortSignal): Pages<SourceComment> =>
  commentsByIssue(commented(gogs, firstIssue(after) - 1, signal), after, async (number) =>
    listOf(await gogs.api.find(`${gogs.repo}/issues/${number}/comments`, signal)).map((value) => {
      const comment = members(value)
      return {
        ...timesOf(comment, gogs.clock.now()),
        author: userOf(comment['user']),
        body: bodyOf(comment['body']),
        reactions: [],
        assets: [],
      }
    }),
  )
