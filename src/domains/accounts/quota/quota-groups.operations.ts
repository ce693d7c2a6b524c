import { Type } from '@sinclair/typebox'
import { created, noContent, ok } from '../../../core/http/answer/answer.ts'
import { siteAdmin } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import { presentUser } from '../users/user.present.ts'
import { User } from '../users/user.model.ts'
import type { QuotaGroups } from './quota-groups.service.ts'
import type { QuotaView } from './quota.service.ts'
import { requireQuotas } from './quota.guards.ts'
import { CreateQuotaGroupOptions, QuotaGroup } from './quota.model.ts'
import { presentQuotaGroup } from './quota.present.ts'

export interface QuotaGroupDeps {
  readonly guards: Pick<Guards, 'adminOfUser'>
  readonly quotaView: QuotaView
  readonly quotaGroups: QuotaGroups
  readonly site: Site
}

const GROUPS = '/admin/quota/groups'
const GROUP = `${GROUPS}/{quotagroup}`
const NAMES = { withNames: true }

/** Groups of quota rules, for site administrators. */
export const quotaGroupOperations = (deps: QuotaGroupDeps): Operation[] => [
  ...groupOperations(deps),
  ...contentOperations(deps),
]

function groupOperations({ quotaView, quotaGroups, site }: QuotaGroupDeps): Operation[] {
  const common = {
    area: 'admin',
    scopes: ['admin'],
    guard: requireQuotas(quotaView.isEnabled, siteAdmin),
    errors: [403, 404],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'adminListQuotaGroups',
      method: 'GET',
      path: GROUPS,
      summary: 'List quota groups',
      responses: { 200: Type.Array(QuotaGroup) },
      handler: async () => ok((await quotaGroups.list()).map((group) => presentQuotaGroup(group, NAMES))),
    }),
    defineOperation({
      ...common,
      id: 'adminCreateQuotaGroup',
      method: 'POST',
      path: GROUPS,
      summary: 'Create a quota group; existing rules are used unchanged',
      body: CreateQuotaGroupOptions,
      responses: { 201: QuotaGroup },
      errors: [403, 409, 422],
      handler: async ({ access: actor, body }) =>
        created(presentQuotaGroup(await quotaGroups.create(actor, body.name ?? '', body.rules ?? []), NAMES)),
    }),
    defineOperation({
      ...common,
      id: 'adminGetQuotaGroup',
      method: 'GET',
      path: GROUP,
      summary: 'A quota group',
      responses: { 200: QuotaGroup },
      handler: async ({ params }) => ok(presentQuotaGroup(await quotaGroups.get(params.quotagroup), NAMES)),
    }),
    defineOperation({
      ...common,
      id: 'adminDeleteQuotaGroup',
      method: 'DELETE',
      path: GROUP,
      summary: 'Delete a quota group',
      responses: { 204: null },
      async handler({ access: actor, params }) {
        await quotaGroups.delete(actor, params.quotagroup)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'adminListUsersInQuotaGroup',
      method: 'GET',
      path: `${GROUP}/users`,
      summary: 'Accounts in a quota group',
      responses: { 200: Type.Array(User) },
      handler: async ({ params, viewer }) =>
        ok((await quotaGroups.listMembers(params.quotagroup)).map((user) => presentUser(user, viewer, site))),
    }),
  ]
}

function contentOperations({ guards, quotaView, quotaGroups }: QuotaGroupDeps): Operation[] {
  const common = { area: 'admin', scopes: ['admin'], responses: { 204: null } } as const
  const rule = {
    ...common,
    path: `${GROUP}/rules/{quotarule}`,
    guard: requireQuotas(quotaView.isEnabled, siteAdmin),
  } as const
  const user = {
    ...common,
    path: `${GROUP}/users/{username}`,
    guard: requireQuotas(quotaView.isEnabled, guards.adminOfUser),
  } as const
  return [
    defineOperation({
      ...rule,
      id: 'adminAddRuleToQuotaGroup',
      method: 'PUT',
      summary: 'Add a rule to a quota group',
      errors: [403, 404, 409],
      async handler({ access: actor, params }) {
        await quotaGroups.addRule(actor, params.quotagroup, params.quotarule)
        return noContent()
      },
    }),
    defineOperation({
      ...rule,
      id: 'adminRemoveRuleFromQuotaGroup',
      method: 'DELETE',
      summary: 'Remove a rule from a quota group',
      errors: [403, 404],
      async handler({ access: actor, params }) {
        await quotaGroups.deleteRule(actor, params.quotagroup, params.quotarule)
        return noContent()
      },
    }),
    defineOperation({
      ...user,
      id: 'adminAddUserToQuotaGroup',
      method: 'PUT',
      summary: 'Add an account to a quota group',
      errors: [403, 404, 409],
      async handler({ params, access }) {
        await quotaGroups.addMember(access.actor, params.quotagroup, access.user.id)
        return noContent()
      },
    }),
    defineOperation({
      ...user,
      id: 'adminRemoveUserFromQuotaGroup',
      method: 'DELETE',
      summary: 'Remove an account from a quota group',
      errors: [403, 404],
      async handler({ params, access }) {
        await quotaGroups.deleteMember(access.actor, params.quotagroup, access.user.id)
        return noContent()
      },
    }),
  ]
}
