import { listOf, members, textOf, timeOf } from '../../../../core/platform/json-members.ts'
import {
  createForgeApi,
  type OpenSource,
  type SourceAsset,
  type SourceLocation,
  type SourceRelease,
} from '../forge-api.ts'
import { trimOf } from '../../../../core/platform/trim.ts'
import { readLabel } from './readers.ts'

/**
 * GitLab at the root of a host (docs.gitlab.com, REST API v4: projects, releases). Files of releases
 * are links there and are imported as links.
 */
export const openGitlab: OpenSource = ({ client, timeout }, location) => {
  const { origin, pathname } = new URL(location.url)
  const project = `/projects/${encodeURIComponent(decodeURIComponent(trimOf(pathname, '/').replace(/\.git$/, '')))}`
  const api = createForgeApi({
    client,
    timeout,
    base: `${origin}/api/v4`,
    webUrl: origin,
    credentials: credentialsOf(location),
    perPage: ['per_page', 100],
  })
  return {
    async facts(signal) {
      const { description, topics } = members(await api.get(project, signal))
      return { description: textOf(description), website: '', topics: listOf(topics).map((topic) => textOf(topic)) }
    },
    async *labels(signal) {
      for await (const page of api.pages(`${project}/labels`, signal)) yield page.map(readLabel)
    },
    async *releases(signal) {
      for await (const page of api.pages(`${project}/releases`, signal)) yield page.map(readRelease)
    },
    download: ({ url }, signal, consume) => api.download(url, { signal }, consume),
  }
}

function readRelease(value: unknown): SourceRelease {
  const release = members(value)
  return {
    tag: textOf(release['tag_name']),
    target: '',
    title: textOf(release['name']),
    body: textOf(release['description']),
    isDraft: false,
    isPrerelease: release['upcoming_release'] === true,
    createdAt: timeOf(release['released_at']) ?? timeOf(release['created_at']),
    assets: listOf(members(release['assets'])['links']).map(readLink),
  }
}

function readLink(value: unknown): SourceAsset {
  const link = members(value)
  return {
    name: textOf(link['name']),
    url: textOf(link['direct_asset_url']) || textOf(link['url']),
    kind: 'link',
    downloads: 0,
    createdAt: undefined,
  }
}

/** GitLab accepts a password only if it is a token. */
function credentialsOf({ token, credentials }: SourceLocation): Record<string, string> {
  const secret = token || credentials?.password
  return secret ? { 'private-token': secret } : {}
}
