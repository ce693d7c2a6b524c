import { listOf, members, numberOf, textOf, timeOf } from '../../../../core/platform/json-members.ts'
import { createForgeApi, type OpenSource, type SourceAsset } from '../forge-api.ts'
import { credentialsOf, splitPath } from './gitea.source.ts'
import { readLabel, readRelease } from './readers.ts'

const VERSION = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }

/** GitHub and GitHub Enterprise Server (docs.github.com, REST API: repositories, releases, release assets). */
export const openGithub: OpenSource = ({ client, timeout }, location) => {
  const { webUrl, path } = splitPath(location)
  const repo = `/repos/${path.map(encodeURIComponent).join('/')}`
  const base = new URL(webUrl).hostname === 'github.com' ? 'https://api.github.com' : `${webUrl}/api/v3`
  const api = createForgeApi({
    client,
    timeout,
    base,
    webUrl,
    credentials: credentialsOf(location),
    headers: VERSION,
    perPage: ['per_page', 100],
  })
  return {
    async facts(signal) {
      const { description, homepage, topics } = members(await api.get(repo, signal))
      return {
        description: textOf(description),
        website: textOf(homepage),
        topics: listOf(topics).map((topic) => textOf(topic)),
      }
    },
    async *labels(signal) {
      for await (const page of api.pages(`${repo}/labels`, signal)) yield page.map(readLabel)
    },
    async *releases(signal) {
      for await (const page of api.pages(`${repo}/releases`, signal))
        yield page.map((value) => readRelease(value, readAssets))
    },
    download: ({ url }, signal, consume) => api.download(url, { signal }, consume),
  }
}

/** Only completed uploads. */
const readAssets = (assets: readonly unknown[]): SourceAsset[] =>
  assets
    .map(members)
    .filter(({ state }) => state === undefined || state === 'uploaded')
    .map(readAsset)

/** The API address serves private repositories too. It redirects to a storage host that needs no credentials. */
function readAsset(asset: Readonly<Record<string, unknown>>): SourceAsset {
  return {
    name: textOf(asset['name']),
    url: textOf(asset['url']) || textOf(asset['browser_download_url']),
    kind: 'file',
    downloads: numberOf(asset['download_count']),
    createdAt: timeOf(asset['created_at']),
  }
}
