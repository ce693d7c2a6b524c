import { Type } from '@sinclair/typebox'
import { created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { pagingMembers, pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { requireUser, siteAdmin } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { PackageGuard } from './package.guards.ts'
import { Package, PackageFile } from './package.model.ts'
import { presentPackage, presentPackageFile } from './package.present.ts'
import type { Packages } from './packages.service.ts'

interface PackageOperationDeps {
  readonly packageGuard: PackageGuard
  readonly packages: Packages
  readonly site: Site
}

const PACKAGE = '/packages/{owner}/{type}/{name}'
const common = { area: 'package', scopes: ['package'] } as const

/** Packages of users and organizations (behaviour/orgs-webhooks-actions#packages). */
export const packageOperations = (deps: PackageOperationDeps): Operation[] => [
  ...listOperations(deps),
  ...versionOperations(deps),
  ...deleteOperations(deps),
  ...linkOperations(deps),
]

const listQuery = Type.Object({
  ...pagingMembers,
  type: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'Of the registry, such as npm' })),
  q: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'A part of the name' })),
})

function listOperations({ packageGuard, packages, site }: PackageOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'adminListPackages',
      method: 'GET',
      path: '/admin/packages',
      area: 'admin',
      scopes: ['admin'],
      summary: 'List versions of the packages of all owners, the newest first',
      guard: siteAdmin,
      query: listQuery,
      responses: { 200: Type.Array(Package) },
      errors: [403],
      async handler({ query, paging, viewer }) {
        const page = await packages.listAll(viewer, { filter: { type: query.type, contains: query.q }, paging })
        return listed(
          page,
          page.items.map((view) => presentPackage(view, viewer, site)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'listPackages',
      method: 'GET',
      path: '/packages/{owner}',
      summary: 'List versions of packages, the newest first',
      guard: packageGuard('read'),
      query: listQuery,
      responses: { 200: Type.Array(Package) },
      errors: [403, 404],
      async handler({ access: { owner }, query, paging, viewer }) {
        const filter = { type: query.type, contains: query.q }
        const page = await packages.list(viewer, owner, { filter, paging })
        return listed(
          page,
          page.items.map((view) => presentPackage(view, viewer, site)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'listPackageVersions',
      method: 'GET',
      path: PACKAGE,
      summary: 'List the versions of a package, the newest first',
      guard: packageGuard('read'),
      query: pagingQuery,
      responses: { 200: Type.Array(Package) },
      errors: [403, 404],
      async handler({ access: { owner }, params: { type, name }, paging, viewer }) {
        const page = await packages.versions(viewer, owner, { type, name, paging })
        return listed(
          page,
          page.items.map((view) => presentPackage(view, viewer, site)),
        )
      },
    }),
  ]
}

function versionOperations({ packageGuard, packages, site }: PackageOperationDeps): Operation[] {
  const read = { ...common, method: 'GET', guard: packageGuard('read'), errors: [403, 404] } as const
  return [
    defineOperation({
      ...read,
      id: 'getLatestPackageVersion',
      path: `${PACKAGE}/-/latest`,
      summary: 'The newest version of a package',
      responses: { 200: Package },
      handler: async ({ access: { owner }, params: { type, name }, viewer }) =>
        ok(presentPackage(await packages.get(viewer, owner, { type, name }), viewer, site)),
    }),
    defineOperation({
      ...read,
      id: 'getPackage',
      path: `${PACKAGE}/{version}`,
      summary: 'A version of a package',
      responses: { 200: Package },
      handler: async ({ access: { owner }, params: { type, name, version }, viewer }) =>
        ok(presentPackage(await packages.get(viewer, owner, { type, name, version }), viewer, site)),
    }),
    defineOperation({
      ...read,
      id: 'listPackageFiles',
      path: `${PACKAGE}/{version}/files`,
      summary: 'The files of a version',
      responses: { 200: Type.Array(PackageFile) },
      handler: async ({ access: { owner }, params: { type, name, version } }) =>
        ok((await packages.files(owner, { type, name, version })).map(presentPackageFile)),
    }),
  ]
}

function deleteOperations({ packageGuard, packages }: PackageOperationDeps): Operation[] {
  const write = {
    ...common,
    method: 'DELETE',
    guard: packageGuard('write'),
    responses: { 204: null },
    errors: [403, 404],
  } as const
  return [
    defineOperation({
      ...write,
      id: 'deletePackage',
      path: PACKAGE,
      summary: 'Delete a package with all versions',
      async handler({ viewer, access: { owner }, params: { type, name } }) {
        await packages.delete(requireUser(viewer), owner, { type, name })
        return noContent()
      },
    }),
    defineOperation({
      ...write,
      id: 'deletePackageVersion',
      path: `${PACKAGE}/{version}`,
      summary: 'Delete a version; with the last one the package',
      async handler({ viewer, access: { owner }, params: { type, name, version } }) {
        await packages.deleteVersion(requireUser(viewer), owner, { type, name, version })
        return noContent()
      },
    }),
  ]
}

function linkOperations({ packageGuard, packages, site }: PackageOperationDeps): Operation[] {
  const write = { ...common, method: 'POST', guard: packageGuard('write'), errors: [400, 403, 404] } as const
  return [
    defineOperation({
      ...write,
      id: 'linkPackage',
      path: `${PACKAGE}/-/link/{repo_name}`,
      summary: 'Link a package to a repository of its owner',
      responses: { 201: Package },
      async handler({ access: { owner }, params: { type, name, repo_name: repoName }, viewer }) {
        await packages.link(viewer, owner, { type, name, repoName })
        return created(presentPackage(await packages.get(viewer, owner, { type, name }), viewer, site))
      },
    }),
    defineOperation({
      ...write,
      id: 'unlinkPackage',
      path: `${PACKAGE}/-/unlink`,
      summary: 'Unlink a package from its repository',
      responses: { 204: null },
      async handler({ access: { owner }, params: { type, name } }) {
        await packages.unlink(owner, { type, name })
        return noContent()
      },
    }),
  ]
}
