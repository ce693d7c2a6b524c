import { SERVER_VERSION } from '../../../core/platform/version.ts'
import type { RepoView, Repos } from '../../repositories/index.ts'
import { type Html, safeHtml } from '../../accounts/index.ts'
import { list, NOTHING, timeOf, when } from './parts.ts'
import { type PageMaker, repoPath, type Visit } from './visit.ts'

export interface HomeDeps {
  readonly repos: Pick<Repos, 'list'>
  readonly settings: {
    /** There is a page with the API reference; its description is always there. */
    readonly hasReference: boolean
    /** Empty for none. */
    readonly documentationUrl: string
    /** Anonymous callers may not list repositories. */
    readonly exploreNeedsSignIn: boolean
  }
}

const NEWEST = { page: 1, limit: 20, offset: 0 }
const BY_UPDATE = { by: 'updated', direction: 'desc' } as const

/** `/`: what this server is, and the public repositories that were updated last. */
export const homePage =
  ({ repos, settings }: HomeDeps): PageMaker =>
  async (visit) => {
    const { viewer, base } = visit
    const isListed = viewer.kind === 'user' || !settings.exploreNeedsSignIn
    const page = isListed
      ? await repos.list(viewer, { filter: { onlyPublic: true }, order: BY_UPDATE }, NEWEST)
      : undefined
    return {
      title: 'Ingot',
      body: safeHtml`<h1>Ingot</h1>
<p>A git server. Version ${SERVER_VERSION}.</p>
<ul>
<li><a href="${base}${settings.hasReference ? '/api/swagger' : '/openapi.json'}">API reference</a></li>
${when(settings.documentationUrl, (url) => safeHtml`<li><a href="${url}">Documentation</a></li>`)}
</ul>
${page === undefined ? NOTHING : safeHtml`<h2>Public repositories</h2>\n${repoList(visit, page.items)}`}`,
    }
  }

/** Repositories with their descriptions. */
export const repoList = (visit: Visit, views: readonly RepoView[]): Html =>
  list(
    views,
    ({ repo }) =>
      safeHtml`<a href="${repoPath(visit, repo)}">${repo.fullName}</a>${repo.isPrivate ? safeHtml` <small>private</small>` : ''}${repo.isArchived ? safeHtml` <small>archived</small>` : ''}
${when(repo.description, (text) => safeHtml`<br>${text}`)}<br><small>Updated ${timeOf(repo.updatedAt)}</small>`,
    'No repositories.',
  )
