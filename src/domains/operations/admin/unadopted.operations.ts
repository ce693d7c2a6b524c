import { Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { listed, noContent } from '../../../core/http/answer/answer.ts'
import { siteAdmin } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import type { Adoption } from './adoption.service.ts'

/** Git repositories on disk that have no row yet (behaviour/users-and-admin#other-administration). */
export function unadoptedOperations({ adoption }: { readonly adoption: Adoption }): Operation[] {
  const common = { area: 'admin', scopes: ['admin'], guard: siteAdmin } as const
  const single = { ...common, path: '/admin/unadopted/{owner}/{repo}', responses: { 204: null } } as const
  return [
    defineOperation({
      ...common,
      id: 'adminUnadoptedList',
      method: 'GET',
      path: '/admin/unadopted',
      summary: 'List repositories that lie in the directory for adoption',
      query: Type.Object({
        ...pagingMembers,
        pattern: Type.Optional(
          Type.String({ maxLength: NAME_LENGTH, description: 'Glob over names, or over owner/name' }),
        ),
        query: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'As pattern' })),
      }),
      responses: { 200: Type.Array(Type.String()) },
      errors: [403],
      handler: async ({ query, paging }) =>
        listed(await adoption.list(query.pattern ?? query.query ?? '', paging), undefined, { link: false }),
    }),
    defineOperation({
      ...single,
      id: 'adminAdoptRepository',
      method: 'POST',
      summary: 'Make a private repository of one that lies in the directory for adoption',
      errors: [403, 404, 409, 422],
      async handler({ access: admin, params }) {
        await adoption.adopt(admin, params.owner, params.repo)
        return noContent()
      },
    }),
    defineOperation({
      ...single,
      id: 'adminDeleteUnadoptedRepository',
      method: 'DELETE',
      summary: 'Remove the files of a repository that lies in the directory for adoption',
      errors: [403, 404],
      async handler({ access: admin, params }) {
        await adoption.discard(admin, params.owner, params.repo)
        return noContent()
      },
    }),
  ]
}
