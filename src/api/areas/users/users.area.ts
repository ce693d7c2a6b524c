import { User } from '../../../contract/models/user.ts'
import { presentUser } from '../../../present/user.present.ts'
import { ok } from '../../answer.ts'
import { signedIn } from '../../guards/account.guards.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import type { AreaDeps } from '../deps.ts'

export function userOperations({ guards, site, users }: Pick<AreaDeps, 'guards' | 'site' | 'users'>): Operation[] {
  return [
    defineOperation({
      id: 'userGetCurrent',
      method: 'GET',
      path: '/user',
      area: 'user',
      summary: 'The signed-in user',
      scopes: ['user'],
      guard: signedIn,
      responses: { 200: User },
      async handler({ viewer, access }) {
        return ok(presentUser((await users.findByName(access.account.name))!, viewer, site))
      },
    }),
    defineOperation({
      id: 'userGet',
      method: 'GET',
      path: '/users/{username}',
      area: 'user',
      summary: 'A user or organization',
      scopes: ['user'],
      guard: guards.visibleUser,
      responses: { 200: User },
      errors: [404],
      handler: ({ viewer, access: user }) => ok(presentUser(user, viewer, site)),
    }),
  ]
}
