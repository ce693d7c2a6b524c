import { listOf, members, numberOf, textOf, timeOf } from '../../../../core/platform/json-members.ts'
import { createForgeApi, type OpenSource, type SourceAsset, type SourceLocation } from '../forge-api.ts'
import { readLabel, readRelease } from './readers.ts'

const TYPE_LINK = 'external'
const UUID = /^[0-9a-f-]{36}$/i

/** Gitea, Forgejo and other servers with their API v1, including this one. */
export const openGitea: OpenSource = ({ client, timeout }, location) => {
  const { webUrl, path } = splitPath(location)
  const repo = `/repos/${path.map(encodeURIComponent).join('/')}`
  const api = createForgeApi({
    client,
    timeout,
    base: `${webUrl}/api/v1`,
    webUrl,
    credentials: credentialsOf(location),
    perPage: ['limit', 50],
  })
  return {
    async facts(signal) {
      const { description, website, topics } = members(await api.get(repo, signal))
      return {
        description: textOf(description),
        website: textOf(website),
        topics: listOf(topics).map((topic) => textOf(topic)),
      }
    },
    async *labels(signal) {
      for await (const page of api.pages(`${repo}/labels`, signal)) yield page.map(readLabel)
    },
    async *releases(signal) {
      for await (const page of api.pages(`${repo}/releases`, signal))
        yield page.map((value) => readRelease(value, (assets) => assets.map((asset) => readAsset(asset, webUrl))))
    },
    download: ({ url, headers }, signal, consume) => api.download(url, { headers, signal }, consume),
  }
}

/**
 * NOTE: the root address that a server is configured with may be unreachable: files are fetched from the requested
 * host.
 */
function readAsset(value: unknown, webUrl: string): SourceAsset {
  const asset = members(value)
  const uuid = textOf(asset['uuid'])
  const kind = asset['type'] === TYPE_LINK ? 'link' : 'file'
  return {
    name: textOf(asset['name']),
    url: kind === 'file' && UUID.test(uuid) ? `${webUrl}/attachments/${uuid}` : textOf(asset['browser_download_url']),
    kind,
    downloads: numberOf(asset['download_count']),
    createdAt: timeOf(asset['created_at']),
  }
}

/** Owner and name are the last two segments of the path; the segments before are the path of the service. */
export function splitPath({ url }: SourceLocation): { readonly webUrl: string; readonly path: [string, string] } {
  const { origin, pathname } = new URL(url)
  const parts = pathname
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean)
    .map(decoded)
  const [owner = '', name = ''] = parts.slice(-2)
  const prefix = parts.slice(0, -2).map(encodeURIComponent).join('/')
  return { webUrl: `${origin}${prefix === '' ? '' : `/${prefix}`}`, path: [owner, name] }
}

export function credentialsOf({ token, credentials }: SourceLocation): Record<string, string> {
  if (token !== '') return { authorization: `token ${token}` }
  return credentials === undefined
    ? {}
    : { authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}` }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
