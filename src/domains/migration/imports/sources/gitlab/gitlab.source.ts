import { members, type Members } from '../../../../../core/platform/json-members.ts'
import { ForgeError } from '../../forge-error.ts'
import type { OpenSource } from '../../source-location.ts'
import type { Pages, SourceAsset, SourceKind, SourceLabel, SourceMilestone, SourceRelease } from '../../source.ts'
import { filesInText } from '../files-in-text.ts'
import { LACKING as NOTHING } from '../lacking.ts'
import { bodyOf, isTrue, lineOf, linesOf, membersOf, parseTime, userOf, countOf } from '../read.ts'
import { createConnection, type Gitlab, LACKING } from './gitlab.ts'
import { readDependencies, readEvents } from './gitlab-events.ts'
import { readComments, readIssues } from './gitlab-issues.ts'
import { readProtections } from './gitlab-protections.ts'
import { readPulls, readReviews } from './gitlab-pulls.ts'
import { labelName, renumber } from './gitlab-text.ts'
import { readTimes } from './gitlab-times.ts'

const UPLOAD = /\/uploads\/([0-9a-f]{32})\/([^\s"'()<>[\]\\/]{1,255})/g

/** GitLab (docs.gitlab.com, REST API v4). */
export const openGitlab: OpenSource = (deps, location) => {
  const connect = createConnection(deps, location)
  const options = { withConfidential: location.withConfidential, warn: location.warn }
  /** What is known once the first list was read, and no text is read before. */
  let known: Gitlab | undefined
  async function project(signal: AbortSignal): Promise<Gitlab> {
    return (known = await connect(signal))
  }
  const list = <Rest extends readonly unknown[], T>(
    read: (gitlab: Gitlab, ...rest: [...Rest, AbortSignal]) => Pages<T>,
  ) =>
    async function* (...rest: [...Rest, AbortSignal]): Pages<T> {
      yield* read(await project(rest.at(-1) as AbortSignal), ...rest)
    }
  return {
    ...NOTHING,
    async facts(signal) {
      const { api, path } = await project(signal)
      const facts = members(await api.get(`/projects/${encodeURIComponent(path)}`, signal))
      return {
        description: bodyOf(facts['description']),
        website: '',
        topics: linesOf(facts['topics']),
        isPrivate: facts['visibility'] !== 'public',
        isArchived: isTrue(facts['archived']),
        defaultBranch: lineOf(facts['default_branch']),
      }
    },
    labels: list(readLabels),
    milestones: list(readMilestones),
    issues: list((gitlab, after: number, signal) => readIssues(gitlab, after, options, signal)),
    pulls: list(readPulls),
    comments: list((gitlab, scope: Parameters<typeof readComments>[1], signal) =>
      readComments(gitlab, scope, options, signal),
    ),
    events: list(readEvents),
    trackedTimes: list((gitlab, signal) => readTimes(gitlab, location, signal)),
    dependencies: list(readDependencies),
    reviews: list((gitlab, { number }: { readonly number: number }, signal) =>
      readReviews(gitlab, number, options, signal),
    ),
    releases: list(readReleases),
    protections: async (signal) => readProtections(await project(signal), signal),
    counts: async (signal) => countLists(await project(signal), signal),
    async download(asset, signal, consume) {
      const { api, webUrl, path, project: own } = await project(signal)
      const options = { headers: asset.headers, signal }
      const uploads = `${webUrl}/${path}/uploads/`
      if (!asset.url.startsWith(uploads)) return api.download(asset.url, options, consume)
      try {
        // GitLab 17.4 and newer; the address of the web takes no token.
        return await api.download(`${api.base}${own}/uploads/${asset.url.slice(uploads.length)}`, options, consume)
      } catch (error) {
        if (!(error instanceof ForgeError) || error.status !== 404) throw error
        return api.download(asset.url, options, consume)
      }
    },
    filesIn(text) {
      if (known === undefined) return []
      const { webUrl, path, id } = known
      const projectPath = `${new URL(webUrl).pathname.replace(/\/$/, '')}/${path}`
      return filesInText(text, {
        pattern: UPLOAD,
        prefixes: [`${webUrl}/${path}`, `${webUrl}/-/project/${id}`, `/-/project/${id}`, projectPath],
        read: ([, hash, name]) => ({ url: `${webUrl}/${path}/uploads/${hash}/${name}`, name: name! }),
      })
    },
    rewriteReferences: (text) => (known === undefined ? text : renumber(text, known)),
  }
}

/** Labels of the groups of the project are in the list. */
async function* readLabels({ api, project }: Gitlab, signal: AbortSignal): Pages<SourceLabel> {
  for await (const page of api.pages(`${project}/labels`, signal, LACKING))
    yield page.map(members).map((label) => {
      const name = lineOf(label['name'])
      return {
        name: labelName(name),
        color: lineOf(label['color']),
        description: lineOf(label['description']),
        isExclusive: labelName(name) !== name,
        isArchived: isTrue(label['archived']),
      }
    })
}

async function* readMilestones({ api, project, facts }: Gitlab, signal: AbortSignal): Pages<SourceMilestone> {
  const { kind, full_path: group } = members(facts['namespace'])
  const lists = [`${project}/milestones`]
  // Older versions list milestones of the group without those of its ancestors.
  if (kind === 'group') lists.push(`/groups/${encodeURIComponent(lineOf(group))}/milestones?include_ancestors=true`)
  for (const path of lists)
    for await (const page of api.pages(path, signal, LACKING)) yield page.map(members).map(readMilestone)
}

function readMilestone(milestone: Members): SourceMilestone {
  const updatedAt = parseTime(milestone['updated_at'])
  const isClosed = milestone['state'] === 'closed'
  return {
    key: String(countOf(milestone['id'])),
    title: lineOf(milestone['title']),
    description: bodyOf(milestone['description']),
    isClosed,
    dueAt: parseTime(milestone['due_date']),
    createdAt: parseTime(milestone['created_at']),
    updatedAt,
    closedAt: isClosed ? updatedAt : undefined,
  }
}

async function* readReleases({ api, project }: Gitlab, signal: AbortSignal): Pages<SourceRelease> {
  for await (const page of api.pages(`${project}/releases`, signal, LACKING)) yield page.map(readRelease)
}

function readRelease(value: unknown): SourceRelease {
  const release = members(value)
  return {
    author: userOf(release['author'], 'username'),
    tag: lineOf(release['tag_name']),
    target: '',
    title: lineOf(release['name']),
    body: bodyOf(release['description']),
    isDraft: false,
    isPrerelease: isTrue(release['upcoming_release']),
    createdAt: parseTime(release['released_at']) ?? parseTime(release['created_at']),
    assets: membersOf(members(release['assets'])['links']).map(readLink),
  }
}

/** Files of releases are links at GitLab. */
function readLink(link: Members): SourceAsset {
  return {
    name: lineOf(link['name']),
    url: lineOf(link['direct_asset_url']) || lineOf(link['url']),
    kind: 'link',
    downloads: 0,
    createdAt: undefined,
  }
}

async function countLists(
  { api, project, issues }: Gitlab,
  signal: AbortSignal,
): Promise<Partial<Record<SourceKind, number>>> {
  const lists = {
    labels: 'labels',
    milestones: 'milestones',
    issues: `issues?${issues}`,
    pulls: 'merge_requests?scope=all&state=all',
    releases: 'releases',
  }
  const counts: Record<string, number> = {}
  for (const [kind, path] of Object.entries(lists)) {
    const count = await api.count(`${project}/${path}`, signal)
    if (count !== undefined) counts[kind] = count
  }
  return counts
}
