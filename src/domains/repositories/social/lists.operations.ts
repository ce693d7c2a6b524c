import { Type } from '@sinclair/typebox'
import { type Viewer, viewerOfAccount } from '../../../core/access/viewer.ts'
import { type ApiResponse, listed } from '../../../core/http/answer/answer.ts'
import { signedIn } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { presentRepo } from '../repos/repo.present.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Repo } from '../repos/repo.store.ts'
import type { Repos } from '../repos/repos.service.ts'
import { Repository } from '../repos/repos.model.ts'
import type { User } from '../../accounts/index.ts'
import type { Guards, Services } from '../../../core/module.ts'
import type { Social } from './social.service.ts'
import { whenStarsAreOn } from './stars.operations.ts'

type List = (viewer: Viewer, user: User, paging: Paging) => Promise<Page<Repo>>

interface SocialListOperationDeps {
  readonly guards: Pick<Guards, 'visibleUserSignedIn'>
  readonly repos: Pick<Repos, 'views'>
  readonly site: Site
  readonly social: Pick<Social, 'starredBy' | 'watchedBy'>
  readonly users: Pick<Services['users'], 'getOwn'>
  readonly starsDisabled: boolean
}

/**
 * Operations that list starred and watched repositories, of the requester and of other users
 * (behaviour/base-interface#endpoints-of-the-base-interface,
 * behaviour/users-and-admin#following-stars-watches-repository-lists).
 */
export function socialListOperations({
  guards,
  repos,
  site,
  social,
  users,
  starsDisabled,
}: SocialListOperationDeps): Operation[] {
  const common = {
    method: 'GET',
    area: 'user',
    query: pagingQuery,
    responses: { 200: Type.Array(Repository) },
  } as const
  /**
   * COMPAT: `permissions` are those of the user of the list, not of the requester
   * (test/repositories/social/watching.test.ts).
   */
  const page = async (
    list: List,
    { viewer, user, paging }: { viewer: Viewer; user: User; paging: Paging },
  ): Promise<ApiResponse> => {
    const found = await list(viewer, user, paging)
    const views = await repos.views(viewerOfAccount(user), found.items)
    return listed(
      found,
      views.map((view) => presentRepo(view, site)),
    )
  }
  return [
    defineOperation({
      ...common,
      id: 'userCurrentListStarred',
      path: '/user/starred',
      summary: 'Repositories that the caller starred',
      scopes: ['user', 'repository'],
      guard: whenStarsAreOn(signedIn, starsDisabled),
      errors: [401, 403],
      handler: async ({ access: viewer, paging }) =>
        page(social.starredBy, { viewer, user: await users.getOwn(viewer), paging }),
    }),
    defineOperation({
      ...common,
      id: 'userListStarred',
      path: '/users/{username}/starred',
      summary: 'Public repositories that a user starred',
      scopes: ['user'],
      guard: whenStarsAreOn(guards.visibleUserSignedIn, starsDisabled),
      errors: [401, 403, 404],
      handler: ({ viewer, access: user, paging }) => page(social.starredBy, { viewer, user, paging }),
    }),
    defineOperation({
      ...common,
      id: 'userCurrentListSubscriptions',
      path: '/user/subscriptions',
      summary: 'Repositories that the caller watches',
      scopes: ['user'],
      guard: signedIn,
      errors: [401, 403],
      handler: async ({ access: viewer, paging }) =>
        page(social.watchedBy, { viewer, user: await users.getOwn(viewer), paging }),
    }),
    defineOperation({
      ...common,
      id: 'userListSubscriptions',
      path: '/users/{username}/subscriptions',
      summary: 'Public repositories that a user watches',
      scopes: ['user'],
      guard: guards.visibleUserSignedIn,
      errors: [401, 403, 404],
      handler: ({ viewer, access: user, paging }) => page(social.watchedBy, { viewer, user, paging }),
    }),
  ]
}
