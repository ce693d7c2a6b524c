import { Type } from '@sinclair/typebox'
import { noContent } from '../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import type { AccountRemoval } from './account-removal.service.ts'

interface AccountRemovalOperationDeps {
  readonly accountRemoval: AccountRemoval
  readonly guards: Pick<Guards, 'adminOfUser'>
}

/** The deletion of accounts by site administrators (behaviour/users-and-admin#administration-of-users). */
export function accountRemovalOperations({ accountRemoval, guards }: AccountRemovalOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'adminDeleteUser',
      method: 'DELETE',
      path: '/admin/users/{username}',
      area: 'admin',
      summary: 'Delete a user; with purge also what it owns',
      scopes: ['admin'],
      guard: guards.adminOfUser,
      query: Type.Object({
        purge: Type.Optional(Type.Boolean({ description: 'Delete the repositories, memberships and comments too' })),
      }),
      responses: { 204: null },
      errors: [403, 404, 422],
      async handler({ access: { actor, user }, query }) {
        await accountRemoval.delete(actor, user, { purge: query.purge ?? false })
        return noContent()
      },
    }),
  ]
}
