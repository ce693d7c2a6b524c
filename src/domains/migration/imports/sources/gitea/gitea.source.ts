import { members, textOf } from '../../../../../core/platform/json-members.ts'
import { createForgeApi } from '../../forge-api.ts'
import type { OpenSource, SourceLocation } from '../../source-location.ts'
import type { SourceLabel } from '../../source.ts'
import { basicOf, splitPath } from '../location.ts'
import { bodyOf, isTrue, lineOf, linesOf, membersOf } from '../read.ts'
import { readLabel, readMilestone, readRelease } from '../read-objects.ts'
import { filesOf, readAsset } from './gitea-assets.ts'
import { readDependencies, readEvents } from './gitea-events.ts'
import {
  AT_ONCE,
  authorOf,
  type Gitea,
  LACKING,
  readComments,
  readIssues,
  readPulls,
  readTimes,
} from './gitea-issues.ts'
import { readReviews } from './gitea-reviews.ts'

/** Rules are shown to administrators of the repository alone, and lists of organizations have no equal at users. */
const HIDDEN = [403, 404]

/** Gitea, Forgejo and other servers with their API v1, including this one. */
export const openGitea: OpenSource = ({ client, timeout, patience }, location) => {
  const { webUrl, owner, path } = splitPath(location)
  const repo = `/repos/${path}`
  const api = createForgeApi({
    client,
    timeout,
    patience,
    base: `${webUrl}/api/v1`,
    webUrl,
    credentials: credentialsOf(location),
    perPage: ['limit', 50],
  })
  const gitea: Gitea = { api, repo, webUrl, clock: patience.clock, only: location.only }
  return {
    atOnce: AT_ONCE,
    async facts(signal) {
      const facts = members(await api.get(repo, signal))
      return {
        description: bodyOf(facts['description']),
        website: lineOf(facts['website']),
        topics: linesOf(facts['topics']),
        isPrivate: isTrue(facts['private']),
        isArchived: isTrue(facts['archived']),
        defaultBranch: lineOf(facts['default_branch']),
      }
    },
    async *labels(signal) {
      const names = new Set<string>()
      const fresh = (page: readonly unknown[]): SourceLabel[] =>
        page.map(readLabel).filter(({ name }) => name === '' || !names.has(name))
      for await (const page of api.pages(`${repo}/labels`, signal, LACKING)) {
        const labels = page.map(readLabel)
        for (const { name } of labels) names.add(name)
        yield labels
      }
      // Issues may have labels of the organization, which its repositories share.
      for await (const page of api.pages(`/orgs/${encodeURIComponent(owner)}/labels`, signal, HIDDEN)) yield fresh(page)
    },
    async *milestones(signal) {
      for await (const page of api.pages(`${repo}/milestones?state=all`, signal, LACKING))
        yield page.map((value) => readMilestone(value, 'id'))
    },
    issues: (after, signal) => readIssues(gitea, after, signal),
    pulls: (after, signal) => readPulls(gitea, after, signal),
    comments: (scope, signal) => readComments(gitea, scope, signal),
    events: (of, signal) => readEvents(gitea, of, signal),
    reviews: (pull, signal) => readReviews(gitea, pull, signal),
    trackedTimes: (signal) => readTimes(gitea, signal),
    dependencies: (of, signal) => readDependencies(gitea, of, signal),
    async *releases(signal) {
      for await (const page of api.pages(`${repo}/releases`, signal, LACKING))
        yield page.map((value) => ({
          ...readRelease(value, (asset) => readAsset(asset, webUrl)),
          author: authorOf(members(value), 'author'),
        }))
    },
    async protections(signal) {
      const [branches, tags] = [`${repo}/branch_protections`, `${repo}/tag_protections`]
      return {
        branches: membersOf(await api.find(branches, signal, HIDDEN)),
        tags: membersOf(await api.find(tags, signal, HIDDEN)),
      }
    },
    async counts(signal) {
      const lists = {
        labels: 'labels',
        milestones: 'milestones?state=all',
        issues: 'issues?state=all&type=issues',
        pulls: 'pulls?state=all',
        comments: 'issues/comments',
        releases: 'releases',
      }
      const counts: Record<string, number> = {}
      for (const [kind, list] of Object.entries(lists)) {
        const count = await api.count(`${repo}/${list}`, signal)
        if (count !== undefined) counts[kind] = count
      }
      return counts
    },
    download: ({ url, headers }, signal, consume) => api.download(url, { headers, signal }, consume),
    filesIn: (text) => filesOf(textOf(text), { webUrl, path }),
    rewriteReferences: (text) => text,
  }
}

function credentialsOf(location: SourceLocation): Record<string, string>[] {
  return location.token === '' ? basicOf(location) : [{ authorization: `token ${location.token}` }]
}
