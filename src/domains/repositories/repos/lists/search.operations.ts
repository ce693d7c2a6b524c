import { anyone } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { RepoTexts } from '../repo-texts.ts'
import { SearchError, SearchResults } from '../repository.model.ts'
import type { Repos } from '../repos.service.ts'
import { readRepoFilter, readRepoOrder, repoSearchQuery } from './search.query.ts'

interface SearchOperationDeps {
  readonly repos: Repos
  readonly repoTexts: RepoTexts
}

/** The search over all repositories that the viewer may see (behaviour/repositories#lists-and-search). */
export function searchOperations({ repos, repoTexts }: SearchOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'repoSearch',
      cost: 1,
      method: 'GET',
      path: '/repos/search',
      area: 'repository',
      summary: 'Search repositories',
      scopes: ['repository'],
      guard: anyone,
      query: repoSearchQuery,
      responses: { 200: SearchResults, 422: SearchError, 500: SearchError },
      errorMembers: (message): SearchError => ({ ok: false, error: message || 'the search failed' }),
      async handler({ viewer, query, paging }) {
        const page = await repos.list(viewer, { filter: readRepoFilter(query), order: readRepoOrder(query) }, paging)
        return { status: 200, body: repoTexts.results(page.items), total: page.total, link: true }
      },
    }),
  ]
}
