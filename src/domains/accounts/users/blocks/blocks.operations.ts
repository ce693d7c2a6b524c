import { Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { listed, noContent } from '../../../../core/http/answer/answer.ts'
import { requireUser, signedIn } from '../../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../../core/http/guards/guard.ts'
import { type Area, defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import { wireTime } from '../../../../core/platform/clock.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { BlockedUser, User } from '../user.model.ts'
import type { Blocker, Blocks } from './blocks.service.ts'
import { presentUser } from '../user.present.ts'

export interface BlockOperationDeps {
  readonly blocks: Blocks
  readonly site: Site
}

/** The difference between the operations of users and of organizations. */
export interface BlockerKind<Access> {
  readonly root: string
  readonly area: Area & ('user' | 'organization')
  readonly guard: Guard<Access>
  blocker(access: Access): Blocker
  readonly ids: Readonly<
    Record<'list' | 'check' | 'block' | 'unblock' | 'listShort' | 'blockQuietly' | 'unblockQuietly', string>
  >
}

/** Blocking by users (behaviour/decisions#two-families-of-paths, behaviour/users-and-admin#blocking). */
export function userBlockOperations(deps: BlockOperationDeps): Operation[] {
  return blockOperations(deps, {
    root: '/user',
    area: 'user',
    guard: signedIn,
    blocker: ({ account }) => account,
    ids: {
      list: 'userListBlocks',
      check: 'userCheckUserBlock',
      block: 'userBlockUser',
      unblock: 'userUnblockUser',
      listShort: 'userListBlockedUsers',
      blockQuietly: 'userBlockUserQuietly',
      unblockQuietly: 'userUnblockUserQuietly',
    },
  })
}

/** Both families of paths for one kind of blocker. */
export function blockOperations<Access>(deps: BlockOperationDeps, kind: BlockerKind<Access>): Operation[] {
  return [...reads(deps, kind), ...strictChanges(deps, kind), ...quietChanges(deps, kind)]
}

function reads<Access>(
  { blocks, site }: BlockOperationDeps,
  { root, area, guard, blocker, ids }: BlockerKind<Access>,
): Operation[] {
  const common = { method: 'GET', area, scopes: [area], guard } as const
  return [
    defineOperation({
      ...common,
      id: ids.list,
      path: `${root}/blocks`,
      summary: 'Whom the account blocks',
      query: pagingQuery,
      responses: { 200: Type.Array(User) },
      async handler({ access, viewer, paging }) {
        const page = await blocks.list(blocker(access), paging)
        return listed(
          page,
          page.items.map(({ user }) => presentUser(user, viewer, site)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: ids.listShort,
      path: `${root}/list_blocked`,
      summary: 'Whom the account blocks, by id, and since when',
      query: pagingQuery,
      responses: { 200: Type.Array(BlockedUser) },
      async handler({ access, paging }) {
        const page = await blocks.list(blocker(access), paging)
        return listed(
          page,
          page.items.map(({ user, createdAt }) => ({ block_id: user.id, created_at: wireTime(createdAt) })),
          { link: false },
        )
      },
    }),
    defineOperation({
      ...common,
      id: ids.check,
      path: `${root}/blocks/{username}`,
      summary: 'Whether the account blocks a user',
      responses: { 204: null },
      errors: [404],
      async handler({ access, viewer, params }) {
        if (!(await blocks.isBlocked(requireUser(viewer), blocker(access), params.username)))
          throw notFound('the user is not blocked')
        return noContent()
      },
    }),
  ]
}

/** Changes for which requests without effect are refused with 400. */
function strictChanges<Access>(
  { blocks }: BlockOperationDeps,
  { root, area, guard, blocker, ids }: BlockerKind<Access>,
): Operation[] {
  const common = {
    path: `${root}/blocks/{username}`,
    area,
    scopes: [area],
    guard,
    responses: { 204: null },
    errors: [400, 403, 404],
  } as const
  return [
    defineOperation({
      ...common,
      id: ids.block,
      method: 'PUT',
      summary: 'Block a user; ends follows, stars, watches, collaborations and pending transfers between the two',
      query: Type.Object({
        note: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'A remark for yourself' })),
      }),
      async handler({ access, viewer, params, query }) {
        await blocks.block(requireUser(viewer), blocker(access), params.username, { strict: true, note: query.note })
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: ids.unblock,
      method: 'DELETE',
      summary: 'Unblock a user; restores nothing',
      async handler({ access, viewer, params }) {
        await blocks.unblock(requireUser(viewer), blocker(access), params.username, { strict: true })
        return noContent()
      },
    }),
  ]
}

/** Changes for which requests without effect succeed. */
function quietChanges<Access>(
  { blocks }: BlockOperationDeps,
  { root, area, guard, blocker, ids }: BlockerKind<Access>,
): Operation[] {
  const common = {
    method: 'PUT',
    area,
    scopes: [area],
    guard,
    responses: { 204: null },
    errors: [403, 404, 422],
  } as const
  return [
    defineOperation({
      ...common,
      id: ids.blockQuietly,
      path: `${root}/block/{username}`,
      summary: 'Block a user, also one that is blocked already',
      async handler({ access, viewer, params }) {
        await blocks.block(requireUser(viewer), blocker(access), params.username, { strict: false })
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: ids.unblockQuietly,
      path: `${root}/unblock/{username}`,
      summary: 'Block a user no longer, also one that was not blocked',
      async handler({ access, viewer, params }) {
        await blocks.unblock(requireUser(viewer), blocker(access), params.username, { strict: false })
        return noContent()
      },
    }),
  ]
}
