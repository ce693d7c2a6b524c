import { anyone } from '../../../http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../http/operation.ts'
import { isDomainError } from '../../../platform/errors.ts'
import type { Site } from '../../../platform/site.ts'
import { presentRepo } from '../repo.present.ts'
import { SearchError, SearchResults } from '../repository.model.ts'
import type { Repos } from '../repos.service.ts'
import { readRepoFilter, readRepoOrder, repoSearchQuery } from './search.query.ts'

interface SearchOperationDeps {
  readonly repos: Repos
  readonly site: Site
}

/** The search over all repositories that the viewer may see (behaviour/repositories#lists-and-search). */
export function searchOperations({ repos, site }: SearchOperationDeps): Operation[] {
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
      async handler({ viewer, query, paging, log }) {
        try {
          const page = await repos.list(viewer, { filter: readRepoFilter(query), order: readRepoOrder(query) }, paging)
          return {
            status: 200,
            body: { ok: true, data: page.items.map((view) => presentRepo(view, site)) },
            total: page.total,
            link: true,
          }
        } catch (error) {
          if (isDomainError(error)) throw error
          log.error(error, 'repository search failed')
          return { status: 500, body: { ok: false, error: 'the search failed' } satisfies SearchError }
        }
      },
    }),
  ]
}
