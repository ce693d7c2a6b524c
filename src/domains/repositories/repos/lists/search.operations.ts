import { anyone } from '../../../../core/http/guards/account.guards.ts'
import { RawJson } from '../../../../core/http/answer/json-cache.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { SearchError, SearchResults } from '../repos.model.ts'
import type { Repos } from '../repos.service.ts'
import type { RepoListJson } from './repo-list-json.ts'
import { readRepoFilter, readRepoOrder, repoSearchQuery } from './search.query.ts'

interface SearchOperationDeps {
  readonly repos: Repos
  readonly json: RepoListJson
}

/** The search over all repositories that the viewer may see (behaviour/repositories#lists-and-search). */
export function searchOperations({ repos, json }: SearchOperationDeps): Operation[] {
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
        return {
          status: 200,
          body: new RawJson(`{"ok":true,"data":${json(page.items).text}}`),
          total: page.total,
          link: true,
        }
      },
    }),
  ]
}
