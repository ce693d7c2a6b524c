import { Type } from '@sinclair/typebox'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { type ApiResponse, listed, noContent } from '../../../../core/http/answer/answer.ts'
import { requireUser, signedIn } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import { errors } from '../../../errors.ts'
import type { Page } from '../../../../core/platform/paging.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import type { Follows } from './follows.service.ts'
import { User } from '../user.model.ts'
import type { User as UserEntity } from '../user.store.ts'
import { presentUser } from '../user.present.ts'
import type { Users } from '../users.service.ts'

interface Deps {
  readonly follows: Follows
  readonly guards: Pick<Guards, 'visibleUserSignedIn'>
  readonly site: Site
  readonly users: Pick<Users, 'getInView'>
}

/** Followers and followed accounts (behaviour/users-and-admin#following-stars-watches-repository-lists). */
export function followOperations(deps: Deps): Operation[] {
  return [...ownLists(deps), ...listsOf(deps), ...checks(deps), ...change(deps)]
}

const listOf = (page: Page<UserEntity>, viewer: Viewer, { site }: Deps): ApiResponse =>
  listed(
    page,
    page.items.map((user) => presentUser(user, viewer, site)),
  )

function ownLists(deps: Deps): Operation[] {
  const { follows } = deps
  const common = {
    method: 'GET',
    area: 'user',
    scopes: ['user'],
    guard: signedIn,
    query: pagingQuery,
    responses: { 200: Type.Array(User) },
  } as const
  return [
    defineOperation({
      ...common,
      id: 'userCurrentListFollowers',
      path: '/user/followers',
      summary: 'Who follows you',
      handler: async ({ viewer, access: { account }, paging }) =>
        listOf(await follows.followers(viewer, account.id, paging), viewer, deps),
    }),
    defineOperation({
      ...common,
      id: 'userCurrentListFollowing',
      path: '/user/following',
      summary: 'Whom you follow',
      handler: async ({ viewer, access: { account }, paging }) =>
        listOf(await follows.following(viewer, account.id, paging), viewer, deps),
    }),
  ]
}

function listsOf(deps: Deps): Operation[] {
  const { follows, guards } = deps
  const common = {
    method: 'GET',
    area: 'user',
    scopes: ['user'],
    guard: guards.visibleUserSignedIn,
    query: pagingQuery,
    responses: { 200: Type.Array(User) },
    errors: [404],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'userListFollowers',
      path: '/users/{username}/followers',
      summary: 'Who follows a user or organization',
      handler: async ({ viewer, access: user, paging }) =>
        listOf(await follows.followers(viewer, user.id, paging), viewer, deps),
    }),
    defineOperation({
      ...common,
      id: 'userListFollowing',
      path: '/users/{username}/following',
      summary: 'Whom a user follows',
      handler: async ({ viewer, access: user, paging }) =>
        listOf(await follows.following(viewer, user.id, paging), viewer, deps),
    }),
  ]
}

function checks({ follows, guards, users }: Deps): Operation[] {
  const common = {
    method: 'GET',
    area: 'user',
    scopes: ['user'],
    guard: guards.visibleUserSignedIn,
    responses: { 204: null },
    errors: [404],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'userCurrentCheckFollowing',
      path: '/user/following/{username}',
      summary: 'Whether you follow a user or organization',
      async handler({ viewer, access: user }) {
        if (!(await follows.isFollowing(requireUser(viewer).account.id, user.id))) throw errors.notFollowing()
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'userCheckFollowing',
      path: '/users/{username}/following/{target}',
      summary: 'Whether one user follows another user or organization',
      async handler({ viewer, access: user, params }) {
        const target = await users.getInView(viewer, params.target)
        if (!(await follows.isFollowing(user.id, target.id))) throw errors.notFollowing()
        return noContent()
      },
    }),
  ]
}

function change({ follows, guards }: Deps): Operation[] {
  const common = {
    path: '/user/following/{username}',
    area: 'user',
    scopes: ['user'],
    guard: guards.visibleUserSignedIn,
    responses: { 204: null },
    errors: [403, 404],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'userCurrentPutFollow',
      method: 'PUT',
      summary: 'Follow a user or organization',
      async handler({ viewer, access: user }) {
        await follows.follow(requireUser(viewer), user)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'userCurrentDeleteFollow',
      method: 'DELETE',
      summary: 'Follow a user or organization no longer',
      async handler({ viewer, access: user }) {
        await follows.unfollow(requireUser(viewer), user)
        return noContent()
      },
    }),
  ]
}
