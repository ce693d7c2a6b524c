import { Type } from '@sinclair/typebox'
import { noContent, listed } from '../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Guards, Core } from '../../../core/module.ts'
import type { AccountRemoval, Badges } from './admin.service.ts'
import { Badge, UserBadgeOption, Cron } from './admin.model.ts'
import { siteAdmin } from '../../../core/http/guards/account.guards.ts'
import { pagingQuery, pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import { wireTime, ZERO_TIME } from '../../../core/platform/clock.ts'
import { pageOf } from '../../../core/platform/paging.ts'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import type { Adoption } from './adoption.service.ts'

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

interface BadgeOperationDeps {
  readonly badges: Badges
  readonly guards: Pick<Guards, 'adminOfUser'>
}

/** Badges of users (behaviour/users-and-admin#other-administration); the command line creates them. */
export function badgeOperations({ badges, guards }: BadgeOperationDeps): Operation[] {
  const common = {
    path: '/admin/users/{username}/badges',
    area: 'admin',
    scopes: ['admin'],
    guard: guards.adminOfUser,
  } as const
  const change = { ...common, body: UserBadgeOption, responses: { 204: null }, errors: [403, 404, 422] } as const
  return [
    defineOperation({
      ...common,
      id: 'adminListUserBadges',
      method: 'GET',
      summary: 'List the badges of a user',
      responses: { 200: Type.Array(Badge) },
      errors: [403, 404],
      async handler({ access: { user } }) {
        const items = await badges.of(user.id)
        return listed(
          { items, total: items.length },
          items.map(({ imageUrl, ...badge }) => ({ ...badge, image_url: imageUrl })),
          { link: false },
        )
      },
    }),
    defineOperation({
      ...change,
      id: 'adminAddUserBadges',
      method: 'POST',
      summary: 'Give badges to a user',
      async handler({ access: { actor, user }, body }) {
        await badges.grant(actor, user.id, body.badge_slugs)
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'adminDeleteUserBadges',
      method: 'DELETE',
      summary: 'Take badges from a user; those it has not are ignored',
      async handler({ access: { actor, user }, body }) {
        await badges.revoke(actor, user.id, body.badge_slugs)
        return noContent()
      },
    }),
  ]
}

const timeOrZero = (at: number): string => (at === 0 ? ZERO_TIME : wireTime(at))

type CronOperationDeps = Pick<Core, 'clock' | 'events' | 'schedule'>

/** The scheduled tasks of the server (behaviour/users-and-admin#other-administration). */
export function cronOperations({ clock, events, schedule }: CronOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'adminCronList',
      method: 'GET',
      path: '/admin/cron',
      area: 'admin',
      summary: 'List scheduled tasks',
      scopes: ['admin'],
      guard: siteAdmin,
      query: pagingQuery,
      responses: { 200: Type.Array(Cron) },
      errors: [403],
      async handler({ paging }) {
        const page = pageOf(await schedule.list(), paging)
        const items = page.items.map((task) => ({
          name: task.name,
          schedule: task.schedule,
          next: timeOrZero(task.nextRunAt),
          prev: timeOrZero(task.lastRunAt),
          exec_times: task.runsCount,
        }))
        return listed(page, items)
      },
    }),
    defineOperation({
      id: 'adminCronRun',
      method: 'POST',
      path: '/admin/cron/{task}',
      area: 'admin',
      summary: 'Run a scheduled task now',
      scopes: ['admin'],
      guard: siteAdmin,
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access: actor, params: { task } }) {
        await schedule.run(task, (tx) =>
          events.append(tx, 'admin.task_run', { actor, repoId: 0, at: clock.now() }, { task }),
        )
        return noContent()
      },
    }),
  ]
}

/** Git repositories on disk without a row (behaviour/users-and-admin#other-administration). */
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
