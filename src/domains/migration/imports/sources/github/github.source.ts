import { members } from '../../../../../core/platform/json-members.ts'
import type { Members } from '../../../../../core/platform/json-members.ts'
import { createForgeApi } from '../../forge-api.ts'
import type { OpenSource, SourceLocation } from '../../source-location.ts'
import type { SourceAsset } from '../../source.ts'
import { LACKING } from '../lacking.ts'
import { basicOf, splitPath } from '../location.ts'
import { bodyOf, isTrue, lineOf, linesOf, momentOf, wholeOf } from '../read.ts'
import { readLabel, readRelease } from '../read-objects.ts'

const VERSION = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }

/** GitHub and GitHub Enterprise Server (docs.github.com, REST API). */
export const openGithub: OpenSource = ({ client, timeout, patience }, location) => {
  const { webUrl, path } = splitPath(location)
  const repo = `/repos/${path}`
  const api = createForgeApi({
    client,
    timeout,
    patience,
    base: new URL(webUrl).hostname === 'github.com' ? 'https://api.github.com' : `${webUrl}/api/v3`,
    webUrl,
    credentials: credentialsOf(location),
    headers: VERSION,
    perPage: ['per_page', 100],
  })
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
      for await (const page of api.pages(`${repo}/labels`, signal)) yield page.map(readLabel)
    },
    async *releases(signal) {
      for await (const page of api.pages(`${repo}/releases`, signal))
        yield page.map((value) => readRelease(value, readAsset))
    },
    download: ({ url, headers }, signal, consume) => api.download(url, { headers, signal }, consume),
  }
}

/** Several tokens, separated by commas, share the requests. */
function credentialsOf(location: SourceLocation): Record<string, string>[] {
  const tokens = location.token.split(',', 20).map((token) => token.trim())
  return tokens[0] === ''
    ? basicOf(location)
    : tokens.filter(Boolean).map((token) => ({ authorization: `Bearer ${token}` }))
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
    downloads: wholeOf(asset['download_count']),
    createdAt: momentOf(asset['created_at']),
  }
}
