import { members, type Members } from '../../../../../core/platform/json-members.ts'
import { createForgeApi } from '../../forge-api.ts'
import type { OpenSource, SourceLocation } from '../../source-location.ts'
import type { Source, SourceAsset, SourceKind } from '../../source.ts'
import { LACKING } from '../lacking.ts'
import { basicOf, splitPath } from '../location.ts'
import { bodyOf, isTrue, lineOf, linesOf, parseTime, countOf } from '../read.ts'
import { readLabel, readMilestone, readRelease } from '../read-objects.ts'
import { createDependencies } from './github-dependencies.ts'
import { createMilestoneKeys, readEvents } from './github-events.ts'
import { filesOf } from './github-files.ts'
import { readComments, readCommentsByIssue } from './github-comments.ts'
import { type Github, readIssues, readPulls } from './github-issues.ts'
import { readProtections } from './github-protections.ts'
import { readReviews } from './github-reviews.ts'

const VERSION = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }

/** GitHub and GitHub Enterprise Server (docs.github.com, REST API). Issues may be turned off. */
export const openGithub: OpenSource = (deps, location) => {
  const lists = ['issues?state=all&sort=created&direction=asc']
  return open(deps, location, {
    isComplete: true,
    scheme: 'Bearer',
    absent: [410],
    issueLists: lists,
    pullLists: lists,
  })
}

/**
 * GitBucket, which has a part of GitHub's API: it lists no pull requests among the issues and comments of each issue
 * alone. Older ones know neither `state=all` nor bearer tokens.
 */
export const openGitbucket: OpenSource = (deps, location) => {
  const github = {
    isComplete: false,
    scheme: 'token',
    absent: [404, 405, 410],
    issueLists: ['issues?state=open', 'issues?state=closed'],
    pullLists: ['pulls?state=open', 'pulls?state=closed'],
  }
  return open(deps, location, github)
}

type Kind = Pick<Github, 'absent' | 'isComplete' | 'issueLists' | 'pullLists'> & { readonly scheme: string }

function open(
  { client, timeout, patience }: Parameters<OpenSource>[0],
  location: SourceLocation,
  { scheme, ...kind }: Kind,
): Source {
  const { absent, isComplete } = kind
  const { webUrl, path } = splitPath(location)
  const repo = `/repos/${path}`
  const base = new URL(webUrl).hostname === 'github.com' ? 'https://api.github.com' : `${webUrl}/api/v3`
  const api = createForgeApi({
    client,
    timeout,
    patience,
    base,
    // Files of the web pages at github.com do not take tokens.
    webUrl: base,
    credentials: credentialsOf(location, scheme),
    headers: VERSION,
    perPage: ['per_page', 100],
    alwaysLinks: isComplete,
  })
  const github: Github = { ...kind, api, repo, clock: patience.clock, warn: location.warn }
  const milestoneKeys = createMilestoneKeys(github)
  return {
    ...LACKING,
    async facts(signal) {
      const facts = members(await api.get(repo, signal))
      return {
        description: bodyOf(facts['description']),
        website: lineOf(facts['homepage']),
        topics: linesOf(facts['topics']),
        isPrivate: isTrue(facts['private']),
        isArchived: isTrue(facts['archived']),
        defaultBranch: lineOf(facts['default_branch']),
      }
    },
    async *labels(signal) {
      for await (const page of api.pages(`${repo}/labels`, signal, absent)) yield page.map(readLabel)
    },
    async *milestones(signal) {
      for await (const page of api.pages(`${repo}/milestones?state=all`, signal, absent))
        yield page.map((value) => readMilestone(value, 'number'))
    },
    issues: (after, signal) => readIssues(github, after, signal),
    pulls: (after, signal) => readPulls(github, after, signal),
    comments: (scope, signal) => (isComplete ? readComments : readCommentsByIssue)(github, scope, signal),
    events: (of, signal) => readEvents(github, { of, milestoneKeys }, signal),
    dependencies: isComplete ? createDependencies(github) : LACKING.dependencies,
    reviews: (pull, signal) => readReviews(github, pull, signal),
    async *releases(signal) {
      for await (const page of api.pages(`${repo}/releases`, signal, absent))
        yield page.map((value) => readRelease(value, readAsset))
    },
    protections: (signal) => readProtections(github, signal),
    counts: (signal) => (isComplete ? countLists(github, signal) : LACKING.counts(signal)),
    download: ({ url, headers }, signal, consume) => api.download(url, { headers, signal }, consume),
    filesIn: (text) => filesOf(text, { webUrl, path }),
  }
}

/** Several tokens, separated by commas, share the requests. */
function credentialsOf(location: SourceLocation, scheme: string): Record<string, string>[] {
  const tokens = location.token
    .split(',', 20)
    .map((token) => token.trim())
    .filter(Boolean)
  return tokens.length === 0 ? basicOf(location) : tokens.map((token) => ({ authorization: `${scheme} ${token}` }))
}

/** The list of issues contains the pull requests. */
async function countLists({ api, repo }: Github, signal: AbortSignal): Promise<Partial<Record<SourceKind, number>>> {
  const count = (list: string): Promise<number | undefined> => api.count(`${repo}/${list}`, signal)
  const [pulls, both] = [await count('pulls?state=all'), await count('issues?state=all')]
  const counts = {
    labels: await count('labels'),
    milestones: await count('milestones?state=all'),
    issues: pulls === undefined || both === undefined ? undefined : Math.max(0, both - pulls),
    pulls,
    comments: await count('issues/comments'),
    releases: await count('releases'),
  }
  return Object.fromEntries(Object.entries(counts).filter(([, number]) => number !== undefined))
}

/**
 * Only completed uploads. The address of the API serves private repositories too. It redirects to a storage host that
 * needs no credentials.
 */
function readAsset(asset: Members): SourceAsset | undefined {
  if (asset['state'] !== undefined && asset['state'] !== 'uploaded') return undefined
  return {
    name: lineOf(asset['name']),
    url: lineOf(asset['url']) || lineOf(asset['browser_download_url']),
    kind: 'file',
    downloads: countOf(asset['download_count']),
    createdAt: parseTime(asset['created_at']),
  }
}
