import { Type } from '@sinclair/typebox'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { type ApiResponse, listed } from '../../../../core/http/answer/answer.ts'
import { anyone } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { Issue } from '../issue.model.ts'
import { readKinds } from '../issue.policy.ts'
import { presentIssues } from '../issue.present.ts'
import { presentCursor } from './issue-filter.ts'
import { readRepoQuery, readSearchQuery, readWindow, repoListQuery, searchQuery } from './list.query.ts'
import type { IssueLists, IssuePage } from './lists.service.ts'

interface ListOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly lists: IssueLists
  readonly site: Site
}

const common = { method: 'GET', area: 'issue', scopes: ['issue'], responses: { 200: Type.Array(Issue) } } as const

/** Issues of a repository, and of all repositories (behaviour/issues#listing-and-search). */
export function listOperations({ guards, lists, site }: ListOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'issueListIssues',
      path: '/repos/{owner}/{repo}/issues',
      summary: 'Issues and pull requests, the newest first',
      guard: guards.repo('see', { unit: 'repo.issues' }),
      query: repoListQuery,
      errors: [404, 422],
      async handler({ access, viewer, query, paging }) {
        const wanted = readRepoQuery(query, readKinds(access, query.type))
        const window = readWindow(query, paging)
        return answer(await lists.listOf(viewer, access.repo, wanted, window), viewer, site)
      },
    }),
    ...SEARCHES.map(({ id, path }) =>
      defineOperation({
        ...common,
        id,
        path,
        cost: 1,
        summary: 'Search issues and pull requests of all repositories, the newest first',
        guard: anyone,
        query: searchQuery,
        errors: [400, 404, 422],
        handler: async ({ viewer, query, paging }) =>
          answer(await lists.search(viewer, readSearchQuery(query), readWindow(query, paging)), viewer, site),
      }),
    ),
  ]
}

const SEARCHES = [
  { id: 'issueSearchIssues', path: '/repos/issues/search' },
  { id: 'issueSearchIssuesSeedPath', path: '/repos/issues' },
] as const

function answer(page: IssuePage, viewer: Viewer, site: Site): ApiResponse {
  const found = listed(page, presentIssues(page.items, viewer, site), { link: page.hasPages })
  if (page.next === undefined) return found
  const headers = { 'x-next-cursor': presentCursor(page.next), 'access-control-expose-headers': 'X-Next-Cursor' }
  return { ...found, headers }
}
