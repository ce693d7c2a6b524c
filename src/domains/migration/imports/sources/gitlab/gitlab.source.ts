import { members } from '../../../../../core/platform/json-members.ts'
import { trimOf } from '../../../../../core/platform/trim.ts'
import { createForgeApi } from '../../forge-api.ts'
import type { OpenSource, SourceLocation } from '../../source-location.ts'
import type { SourceAsset, SourceRelease } from '../../source.ts'
import { LACKING } from '../lacking.ts'
import { decoded } from '../location.ts'
import { bodyOf, isTrue, lineOf, linesOf, membersOf, momentOf, userOf } from '../read.ts'
import { readLabel } from '../read-objects.ts'

/** GitLab at the root of a host (docs.gitlab.com, REST API v4). */
export const openGitlab: OpenSource = ({ client, timeout, patience }, location) => {
  const { origin, pathname } = new URL(location.url)
  const project = `/projects/${encodeURIComponent(decoded(trimOf(pathname, '/').replace(/\.git$/, '')))}`
  const api = createForgeApi({
    client,
    timeout,
    patience,
    base: `${origin}/api/v4`,
    webUrl: origin,
    credentials: credentialsOf(location),
    perPage: ['per_page', 100],
  })
  return {
    ...LACKING,
    async facts(signal) {
      const facts = members(await api.get(project, signal))
      return {
        description: bodyOf(facts['description']),
        website: '',
        topics: linesOf(facts['topics']),
        isPrivate: facts['visibility'] !== 'public',
        isArchived: isTrue(facts['archived']),
        defaultBranch: lineOf(facts['default_branch']),
      }
    },
    async *labels(signal) {
      for await (const page of api.pages(`${project}/labels`, signal)) yield page.map(readLabel)
    },
    async *releases(signal) {
      for await (const page of api.pages(`${project}/releases`, signal)) yield page.map(readRelease)
    },
    download: ({ url, headers }, signal, consume) => api.download(url, { headers, signal }, consume),
  }
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
    createdAt: momentOf(release['released_at']) ?? momentOf(release['created_at']),
    assets: membersOf(members(release['assets'])['links']).map(readLink),
  }
}

function readLink(link: Readonly<Record<string, unknown>>): SourceAsset {
  return {
    name: lineOf(link['name']),
    url: lineOf(link['direct_asset_url']) || lineOf(link['url']),
    kind: 'link',
    downloads: 0,
    createdAt: undefined,
  }
}

/** GitLab accepts a password only if it is a token. */
function credentialsOf({ token, credentials }: SourceLocation): Record<string, string>[] {
  const secret = token || credentials?.password
  return secret ? [{ 'private-token': secret }] : []
}
