import { Type } from '@sinclair/typebox'
import type { AreaDeps } from '../../app/deps.ts'
import { type Answer, listed, ok } from '../../http/answer.ts'
import { anyone, explored, signedIn } from '../../http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { pagingMembers } from '../../http/paging-members.ts'
import { notFound } from '../../platform/errors.ts'
import { asId } from '../../platform/ids.ts'
import type { Page } from '../../platform/paging.ts'
import { User, UserSearchResults } from './user.model.ts'
import { presentUser, presentVirtualById } from './user.present.ts'

export function userOperations({
  config,
  guards,
  site,
  users,
}: Pick<AreaDeps, 'config' | 'guards' | 'site' | 'users'>): Operation[] {
  const answer = (page: Page<unknown>, found: readonly User[]): Answer => {
    const list = listed(page, found)
    return config.api.users_search_results ? { ...list, body: { ok: true, data: found } } : list
  }
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
        return ok(presentUser(await users.getOwn(access), viewer, site))
      },
    }),
    defineOperation({
      id: 'userSearch',
      method: 'GET',
      path: '/users/search',
      area: 'user',
      summary: 'Search users',
      scopes: ['user'],
      guard: explored(anyone, config.service.explore_require_signin_view),
      query: Type.Object({
        q: Type.Optional(Type.String({ description: 'Part of login, full name or e-mail address' })),
        uid: Type.Optional(Type.Integer({ description: 'Only the user with this id' })),
        ...pagingMembers,
      }),
      responses: { 200: config.api.users_search_results ? UserSearchResults : Type.Array(User) },
      errors: [401, 404],
      async handler({ viewer, query, paging }) {
        if (config.service.explore_disable_users_page) throw notFound('users cannot be searched')
        const virtual = query.uid === undefined ? undefined : presentVirtualById(query.uid, site)
        if (virtual !== undefined) return answer({ items: [virtual], total: 1 }, [virtual])
        const page = await users.search(
          viewer,
          {
            keyword: query.q?.trim() ?? '',
            id: query.uid === undefined || query.uid === 0 ? undefined : asId(query.uid),
          },
          paging,
        )
        return answer(
          page,
          page.items.map((user) => presentUser(user, viewer, site)),
        )
      },
    }),
    defineOperation({
      id: 'userGet',
      method: 'GET',
      path: '/users/{username}',
      area: 'user',
      summary: 'A user or organization',
      scopes: ['user'],
      guard: explored(guards.visibleUser, config.service.explore_require_signin_view),
      responses: { 200: User },
      errors: [404],
      handler: ({ viewer, access: user }) => ok(presentUser(user, viewer, site)),
    }),
  ]
}
