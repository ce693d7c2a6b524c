import { Type } from '@sinclair/typebox'
import { created, noContent, ok } from '../../../core/http/answer/answer.ts'
import { siteAdmin } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import type { QuotaGroups } from './quota-groups.service.ts'
import type { QuotaRules } from './quota-rules.service.ts'
import type { QuotaView } from './quota.service.ts'
import { requireQuotas } from './quota.guards.ts'
import {
  CreateQuotaRuleOptions,
  EditQuotaRuleOptions,
  QuotaInfo,
  QuotaRuleInfo,
  SetUserQuotaGroupsOptions,
} from './quota.model.ts'
import { presentQuota, presentQuotaRule } from './quota.present.ts'

export interface QuotaAdminDeps {
  readonly guards: Pick<Guards, 'adminOfUser'>
  readonly quotaView: QuotaView
  readonly quotaGroups: QuotaGroups
  readonly quotaRules: QuotaRules
}

const RULES = '/admin/quota/rules'
const NAMES = { withNames: true }

/** Quota rules, and the quota of an account, for site administrators. */
export const quotaAdminOperations = (deps: QuotaAdminDeps): Operation[] => [
  ...ruleOperations(deps),
  ...accountOperations(deps),
]

function ruleOperations({ quotaView, quotaRules }: QuotaAdminDeps): Operation[] {
  const common = { area: 'admin', scopes: ['admin'], guard: requireQuotas(quotaView.isEnabled, siteAdmin) } as const
  const one = { ...common, path: `${RULES}/{quotarule}`, errors: [403, 404] } as const
  return [
    defineOperation({
      ...common,
      id: 'adminListQuotaRules',
      method: 'GET',
      path: RULES,
      summary: 'List quota rules',
      responses: { 200: Type.Array(QuotaRuleInfo) },
      errors: [403],
      handler: async () => ok((await quotaRules.list()).map((rule) => presentQuotaRule(rule, NAMES))),
    }),
    defineOperation({
      ...common,
      id: 'adminCreateQuotaRule',
      method: 'POST',
      path: RULES,
      summary: 'Create a quota rule',
      body: CreateQuotaRuleOptions,
      responses: { 201: QuotaRuleInfo },
      errors: [403, 409, 422],
      handler: async ({ access: actor, body }) =>
        created(presentQuotaRule(await quotaRules.create(actor, body), NAMES)),
    }),
    defineOperation({
      ...one,
      id: 'adminGetQuotaRule',
      method: 'GET',
      summary: 'A quota rule',
      responses: { 200: QuotaRuleInfo },
      handler: async ({ params }) => ok(presentQuotaRule(await quotaRules.get(params.quotarule), NAMES)),
    }),
    defineOperation({
      ...one,
      id: 'adminEditQuotaRule',
      method: 'PATCH',
      summary: 'Change a quota rule',
      body: EditQuotaRuleOptions,
      responses: { 200: QuotaRuleInfo },
      errors: [403, 404, 422],
      handler: async ({ access: actor, params, body }) =>
        ok(presentQuotaRule(await quotaRules.edit(actor, params.quotarule, body), NAMES)),
    }),
    defineOperation({
      ...one,
      // NOTE: this is the spelling of the API.
      id: 'adminDEleteQuotaRule',
      method: 'DELETE',
      summary: 'Delete a quota rule, also from groups',
      responses: { 204: null },
      async handler({ access: actor, params }) {
        await quotaRules.delete(actor, params.quotarule)
        return noContent()
      },
    }),
  ]
}

function accountOperations({ guards, quotaView, quotaGroups }: QuotaAdminDeps): Operation[] {
  const common = {
    area: 'admin',
    scopes: ['admin'],
    guard: requireQuotas(quotaView.isEnabled, guards.adminOfUser),
  } as const
  return [
    defineOperation({
      ...common,
      id: 'adminGetUserQuota',
      method: 'GET',
      path: '/admin/users/{username}/quota',
      summary: 'The usage of an account, and the rules that apply to it',
      responses: { 200: QuotaInfo },
      errors: [403, 404],
      handler: async ({ access: { user } }) => ok(presentQuota(await quotaView.of(user.id), NAMES)),
    }),
    defineOperation({
      ...common,
      id: 'adminSetUserQuotaGroups',
      method: 'POST',
      path: '/admin/users/{username}/quota/groups',
      summary: 'Replace the quota groups of an account',
      body: SetUserQuotaGroupsOptions,
      responses: { 204: null },
      errors: [403, 404, 422],
      async handler({ access: { actor, user }, body }) {
        await quotaGroups.setOf(actor, user.id, body.groups)
        return noContent()
      },
    }),
  ]
}
