import { SearchError, SearchResults } from '../../../contract/models/search-results.ts'
import { isDomainError } from '../../../platform/errors.ts'
import { presentRepo } from '../../../present/repo.present.ts'
import { anyone } from '../../guards/account.guards.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import type { AreaDeps } from '../deps.ts'
import { readRepoFilter, readRepoOrder, repoSearchQuery } from './search.query.ts'

/** The search over all repositories in sight (reference repositories §9). */
export function searchOperations({ repos, site }: Pick<AreaDeps, 'repos' | 'site'>): Operation[] {
  return [
    defineOperation({
      id: 'repoSearch',
      method: 'GET',
      path: '/repos/search',
      area: 'repository',
      summary: 'Search repositories',
      scopes: ['repository'],
      guard: anyone,
      query: repoSearchQuery,
      responses: { 200: SearchResults, 500: SearchError },
      errors: [422],
      async handler({ viewer, query, paging, request }) {
        try {
          const page = await repos.list(viewer, { filter: readRepoFilter(query), order: readRepoOrder(query) }, paging)
          return { status: 200, body: { ok: true, data: page.items.map((view) => presentRepo(view, site)) }, total: page.total, link: true }
        } catch (error) {
          if (isDomainError(error)) throw error
          request.log.error(error, 'repository search failed')
          return { status: 500, body: { ok: false, error: 'the search failed' } satisfies SearchError }
        }
      },
    }),
  ]
}
