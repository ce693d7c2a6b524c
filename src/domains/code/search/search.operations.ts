import { type Static, Type } from '@sinclair/typebox'
import type { ApiResponse } from '../../../core/http/answer/answer.ts'
import { NAME_LENGTH, URL_LENGTH } from '../../../core/http/body/limits.ts'
import { anyone } from '../../../core/http/guards/account.guards.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import type { Site } from '../../../core/platform/site.ts'
import { CodeSearchResults } from './search.model.ts'
import { presentCodeMatch } from './search.present.ts'
import type { CodeMatchPage, CodeSearch } from './search.service.ts'

const text = (description: string, maxLength: number) => Type.Optional(Type.String({ maxLength, description }))

const members = {
  ...pagingMembers,
  q: text('Words that a file contains, or an expression; filters path:, lang: and repo:', URL_LENGTH),
  mode: text('substring (default), word: whole words, or regexp: one expression in the syntax of RE2', NAME_LENGTH),
  case_sensitive: Type.Optional(Type.Boolean({ description: 'Upper and lower case differ; no by default' })),
  path: text('A part of the path; its begin after a slash', URL_LENGTH),
  lang: text('The name of a language', NAME_LENGTH),
}
const repoSearchQuery = Type.Object(members)
const searchQuery = Type.Object({ ...members, repo: text('owner/name, or a name', NAME_LENGTH) })

const sentOf = ({
  q = '',
  mode = 'substring',
  case_sensitive = false,
  path = '',
  lang = '',
  repo = '',
}: Static<typeof searchQuery>) => ({ q, mode, isCaseSensitive: case_sensitive, path, lang, repo })

interface SearchOperationDeps {
  readonly codeSearch: CodeSearch
  readonly guards: Pick<Guards, 'repo'>
  readonly site: Site
}

/** Search in code (guide/code-search.md). */
export function searchOperations({ codeSearch, guards, site }: SearchOperationDeps): Operation[] {
  const answer = ({ items, total, isIncomplete }: CodeMatchPage): ApiResponse => ({
    status: 200,
    body: { total_count: total, incomplete: isIncomplete, items: items.map((match) => presentCodeMatch(match, site)) },
    total,
    link: true,
  })
  return [
    defineOperation({
      id: 'searchCode',
      cost: 1,
      method: 'GET',
      path: '/repos/search/code',
      area: 'repository',
      summary: 'Search the code of all repositories that the user may read',
      scopes: ['repository'],
      guard: anyone,
      query: searchQuery,
      responses: { 200: CodeSearchResults },
      errors: [404, 422],
      handler: async ({ viewer, query, paging, rateLimitKey }) =>
        answer(await codeSearch.search({ viewer }, sentOf(query), paging, rateLimitKey)),
    }),
    defineOperation({
      id: 'repoSearchCode',
      cost: 1,
      method: 'GET',
      path: '/repos/{owner}/{repo}/search/code',
      area: 'repository',
      summary: 'Search the code of a repository',
      scopes: ['repository'],
      guard: guards.repo('read', { unit: 'repo.code' }),
      query: repoSearchQuery,
      responses: { 200: CodeSearchResults },
      errors: [403, 404, 422],
      handler: async ({ access, query, paging, rateLimitKey }) =>
        answer(await codeSearch.search({ repoId: access.repo.id }, sentOf(query), paging, rateLimitKey)),
    }),
  ]
}
