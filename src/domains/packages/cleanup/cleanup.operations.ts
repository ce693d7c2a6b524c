import { Type } from '@sinclair/typebox'
import { listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { PackageGuard } from '../packages/package.guards.ts'
import { PackageCleanupRule, RemovablePackageVersion, SavePackageCleanupRuleOption } from './cleanup-rule.model.ts'
import { presentCleanupRule, presentRemovable } from './cleanup-rule.present.ts'
import type { CleanupRules } from './cleanup-rules.service.ts'
import type { Cleanup } from './cleanup.service.ts'

interface CleanupOperationDeps {
  readonly packageGuard: PackageGuard
  readonly rules: CleanupRules
  readonly cleanup: Pick<Cleanup, 'preview'>
  readonly site: Site
}

const RULES = '/packages/{owner}/-/cleanup-rules'

/** Rules of packages, an extension of the API (docs/guide/packages.md#deleting-old-versions). */
export const cleanupOperations = (deps: CleanupOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...writeOperations(deps),
]

function readOperations({ packageGuard, rules, cleanup, site }: CleanupOperationDeps): Operation[] {
  const read = {
    area: 'package',
    scopes: ['package'],
    method: 'GET',
    guard: packageGuard('write'),
    errors: [403, 404],
  } as const
  return [
    defineOperation({
      ...read,
      id: 'listPackageCleanupRules',
      path: RULES,
      summary: 'List the cleanup rules of an owner, by type',
      query: pagingQuery,
      responses: { 200: Type.Array(PackageCleanupRule) },
      async handler({ access: { owner }, paging, viewer }) {
        const page = await rules.list(owner, paging)
        return listed(
          page,
          page.items.map((view) => presentCleanupRule(view, viewer, site)),
        )
      },
    }),
    defineOperation({
      ...read,
      id: 'getPackageCleanupRule',
      path: `${RULES}/{type}`,
      summary: 'The cleanup rule of a type of packages',
      responses: { 200: PackageCleanupRule },
      handler: async ({ access: { owner }, params: { type }, viewer }) =>
        ok(presentCleanupRule(await rules.get(owner, type), viewer, site)),
    }),
    defineOperation({
      ...read,
      id: 'previewPackageCleanupRule',
      path: `${RULES}/{type}/preview`,
      summary: 'List the versions, of the first 10,000, that a rule would delete now, enabled or not',
      query: pagingQuery,
      responses: { 200: Type.Array(RemovablePackageVersion) },
      errors: [403, 404, 422],
      async handler({ access: { owner }, params: { type }, paging }) {
        const page = await cleanup.preview((await rules.get(owner, type)).rule, paging)
        return listed(page, page.items.map(presentRemovable))
      },
    }),
  ]
}

function writeOperations({ packageGuard, rules, site }: CleanupOperationDeps): Operation[] {
  const write = { area: 'package', scopes: ['package'], path: `${RULES}/{type}`, guard: packageGuard('write') } as const
  return [
    defineOperation({
      ...write,
      id: 'savePackageCleanupRule',
      method: 'PUT',
      summary: 'Create or replace the cleanup rule of a type of packages',
      body: SavePackageCleanupRuleOption,
      responses: { 200: PackageCleanupRule },
      errors: [403, 404, 422],
      async handler({ access: { owner }, params: { type }, body, viewer }) {
        const limits = {
          isEnabled: body.enabled ?? true,
          keepCount: body.keep_count ?? 0,
          keepPattern: body.keep_pattern ?? '',
          removeDays: body.remove_days ?? 0,
          removePattern: body.remove_pattern ?? '',
          matchesFullName: body.match_full_name ?? false,
        }
        return ok(presentCleanupRule(await rules.save(requireUser(viewer), owner, type, limits), viewer, site))
      },
    }),
    defineOperation({
      ...write,
      id: 'deletePackageCleanupRule',
      method: 'DELETE',
      summary: 'Delete the cleanup rule of a type of packages',
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access: { owner }, params: { type } }) {
        await rules.delete(owner, type)
        return noContent()
      },
    }),
  ]
}
