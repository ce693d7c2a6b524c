import { Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { listed, ok } from '../../../core/http/answer/answer.ts'
import { signedIn } from '../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Guards } from '../../../core/module.ts'
import { type QuotaAdminDeps, quotaAdminOperations } from './quota-admin.operations.ts'
import { type QuotaGroupDeps, quotaGroupOperations } from './quota-groups.operations.ts'
import { requireQuotas } from './quota.guards.ts'
import { QuotaInfo, QuotaUsedArtifact, QuotaUsedAttachment, QuotaUsedPackage } from './quota.model.ts'
import { presentQuota, presentUsedArtifact, presentUsedAttachment, presentUsedPackage } from './quota.present.ts'

interface QuotaOperationDeps extends QuotaAdminDeps, QuotaGroupDeps {
  readonly guards: Pick<Guards, 'adminOfUser' | 'org'>
}

interface OwnerKind<Access> {
  readonly root: string
  readonly area: 'user' | 'organization'
  readonly prefix: 'user' | 'org'
  readonly guard: Guard<Access>
  owner(access: Access): { readonly id: UserId; readonly name: string }
}

/** Limits and usage of owners (behaviour/auth-and-access#quota). */
export function quotaOperations(deps: QuotaOperationDeps): Operation[] {
  return [
    ...operationsFor(deps, {
      root: '/user/quota',
      area: 'user',
      prefix: 'user',
      guard: signedIn,
      owner: ({ account }) => account,
    }),
    ...operationsFor(deps, {
      root: '/orgs/{org}/quota',
      area: 'organization',
      prefix: 'org',
      guard: deps.guards.org('owner'),
      owner: ({ org }) => org,
    }),
    ...quotaAdminOperations(deps),
    ...quotaGroupOperations(deps),
  ]
}

const operationsFor = <Access>(deps: QuotaOperationDeps, kind: OwnerKind<Access>): Operation[] => [
  ...quotaOfOwner(deps, kind),
  ...usedOperations(deps, kind),
]

function quotaOfOwner<Access>(
  { quotaView }: QuotaOperationDeps,
  { root, area, prefix, guard, owner }: OwnerKind<Access>,
): Operation[] {
  const common = {
    method: 'GET',
    area,
    scopes: [area],
    guard: requireQuotas(quotaView.isEnabled, guard),
    errors: [403, 404],
  } as const
  return [
    defineOperation({
      ...common,
      id: `${prefix}GetQuota`,
      path: root,
      summary: 'The usage, and the rules that apply',
      responses: { 200: QuotaInfo },
      handler: async ({ access }) => ok(presentQuota(await quotaView.of(owner(access).id), { withNames: false })),
    }),
    defineOperation({
      ...common,
      id: `${prefix}CheckQuota`,
      path: `${root}/check`,
      summary: 'Whether the usage of a subject is within its limits',
      query: Type.Object({
        subject: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'Such as size:repos:all' })),
      }),
      responses: { 200: Type.Boolean() },
      errors: [403, 404, 422],
      handler: async ({ access, query }) => ok(await quotaView.check(owner(access).id, query.subject ?? '')),
    }),
  ]
}

function usedOperations<Access>(
  { quotaView, site }: QuotaOperationDeps,
  { root, area, prefix, guard, owner }: OwnerKind<Access>,
): Operation[] {
  const common = {
    method: 'GET',
    area,
    scopes: [area],
    guard: requireQuotas(quotaView.isEnabled, guard),
    errors: [403, 404],
  } as const
  return [
    defineOperation({
      ...common,
      id: `${prefix}ListQuotaAttachments`,
      path: `${root}/attachments`,
      summary: 'Attachments, largest first',
      query: pagingQuery,
      responses: { 200: Type.Array(QuotaUsedAttachment) },
      async handler({ access, paging }) {
        const { id, name } = owner(access)
        const page = await quotaView.attachments(id, paging)
        return listed(
          page,
          page.items.map((file) => presentUsedAttachment(file, name, site)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: `${prefix}ListQuotaArtifacts`,
      path: `${root}/artifacts`,
      summary: 'Files that workflow jobs left, largest first',
      query: pagingQuery,
      responses: { 200: Type.Array(QuotaUsedArtifact) },
      async handler({ access, paging }) {
        const { id, name } = owner(access)
        const page = await quotaView.artifacts(id, paging)
        return listed(
          page,
          page.items.map((file) => presentUsedArtifact(file, name, site)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: `${prefix}ListQuotaPackages`,
      path: `${root}/packages`,
      summary: 'Versions of packages, largest first',
      query: pagingQuery,
      responses: { 200: Type.Array(QuotaUsedPackage) },
      async handler({ access, paging }) {
        const { id, name } = owner(access)
        const page = await quotaView.packages(id, paging)
        return listed(
          page,
          page.items.map((used) => presentUsedPackage(used, name, site)),
        )
      },
    }),
  ]
}
