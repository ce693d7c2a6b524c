import { Type } from '@sinclair/typebox'
import { listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { PackageGuard } from '../packages/package.guards.ts'
import { PackageUpstream, SavePackageUpstreamOption } from './upstream.model.ts'
import { presentUpstream } from './upstream.present.ts'
import type { Upstreams } from './upstreams.service.ts'

interface UpstreamOperationDeps {
  readonly packageGuard: PackageGuard
  readonly upstreams: Upstreams
}

const UPSTREAMS = '/packages/{owner}/-/upstreams'

/** Upstreams of packages, an extension of the API (docs/guide/packages.md#upstreams). */
export function upstreamOperations({ packageGuard, upstreams }: UpstreamOperationDeps): Operation[] {
  const common = { area: 'package', scopes: ['package'], guard: packageGuard('admin'), errors: [403, 404] } as const
  const one = { ...common, path: `${UPSTREAMS}/{type}` } as const
  return [
    defineOperation({
      ...common,
      id: 'listPackageUpstreams',
      method: 'GET',
      path: UPSTREAMS,
      summary: 'List the upstream registries of an owner, by type',
      query: pagingQuery,
      responses: { 200: Type.Array(PackageUpstream) },
      async handler({ access: { owner }, paging }) {
        const page = await upstreams.list(owner, paging)
        return listed(page, page.items.map(presentUpstream))
      },
    }),
    defineOperation({
      ...one,
      id: 'getPackageUpstream',
      method: 'GET',
      summary: 'The upstream registry of a type of packages',
      responses: { 200: PackageUpstream },
      handler: async ({ access: { owner }, params: { type } }) => ok(presentUpstream(await upstreams.get(owner, type))),
    }),
    defineOperation({
      ...one,
      id: 'savePackageUpstream',
      method: 'PUT',
      summary: 'Create or replace the upstream registry of a type of packages',
      body: SavePackageUpstreamOption,
      responses: { 200: PackageUpstream },
      errors: [403, 404, 422],
      async handler({ viewer, access: { owner }, params: { type }, body }) {
        const saved = await upstreams.save(requireUser(viewer), owner, {
          type,
          url: body.url,
          allowed: body.allow ?? [],
          minAgeDays: body.min_age_days ?? 0,
          isOffline: body.offline ?? false,
          username: body.username ?? '',
          password: body.password,
        })
        return ok(presentUpstream(saved))
      },
    }),
    defineOperation({
      ...one,
      id: 'deletePackageUpstream',
      method: 'DELETE',
      summary: 'Delete the upstream registry of a type of packages, with its stored copies',
      responses: { 204: null },
      async handler({ viewer, access: { owner }, params: { type } }) {
        await upstreams.delete(requireUser(viewer), owner, type)
        return noContent()
      },
    }),
  ]
}
