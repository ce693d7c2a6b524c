import { Type } from '@sinclair/typebox'
import { OneOf } from '../../../core/http/answer/text.ts'
import { URL_LENGTH } from '../../../core/http/body/limits.ts'
import { type ApiResponse, listed, ok } from '../../../core/http/answer/answer.ts'
import { anyone, requireSignInWhenConfigured, signedIn } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import { notFound } from '../../../core/platform/errors.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import type { Page } from '../../../core/platform/paging.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import { NAMED_ORDERS } from './admin-users.query.ts'
import { User, UserSearchResults } from './user.model.ts'
import { presentUser, presentVirtualById } from './user.present.ts'
import type { Users } from './users.service.ts'

interface Deps {
  readonly guards: Pick<Guards, 'visibleUser'>
  readonly rules: UserSearchRules
  readonly site: Site
  readonly users: Users
}

interface UserSearchRules {
  /** The response is `{ok, data}` instead of an array. */
  readonly wrapsResults: boolean
  readonly requiresSignIn: boolean
  /** Searches are disabled and respond with 404. */
  readonly isOff: boolean
}

export function userOperations({ guards, rules, site, users }: Deps): Operation[] {
  const results = (page: Page<unknown>, found: readonly User[]): ApiResponse => ({
    ...listed(page),
    body: rules.wrapsResults ? { ok: true, data: found } : found,
  })
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
      cost: 1,
      method: 'GET',
      path: '/users/search',
      area: 'user',
      summary: 'Search users',
      scopes: ['user'],
      guard: requireSignInWhenConfigured(anyone, rules.requiresSignIn),
      query: Type.Object({
        q: Type.Optional(
          Type.String({ maxLength: URL_LENGTH, description: 'Part of login, full name or e-mail address' }),
        ),
        uid: Type.Optional(Type.Integer({ description: 'Only the user with this id' })),
        sort: Type.Optional(
          OneOf('alphabetically', 'reversealphabetically', 'oldest', 'newest', 'leastupdate', 'recentupdate'),
        ),
        ...pagingMembers,
      }),
      responses: { 200: rules.wrapsResults ? UserSearchResults : Type.Array(User) },
      errors: [401, 404],
      async handler({ viewer, query, paging }) {
        if (rules.isOff) throw notFound('users cannot be searched')
        const virtual = query.uid === undefined ? undefined : presentVirtualById(query.uid, site)
        if (virtual !== undefined) return results({ items: [virtual], total: 1 }, [virtual])
        const page = await users.search(
          viewer,
          {
            keyword: query.q?.trim() ?? '',
            id: query.uid === undefined || query.uid === 0 ? undefined : asId(query.uid),
            order: NAMED_ORDERS[query.sort || 'alphabetically'],
          },
          paging,
        )
        return results(
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
      guard: requireSignInWhenConfigured(guards.visibleUser, rules.requiresSignIn),
      responses: { 200: User },
      errors: [404],
      handler: ({ viewer, access: user }) => ok(presentUser(user, viewer, site)),
    }),
  ]
}
