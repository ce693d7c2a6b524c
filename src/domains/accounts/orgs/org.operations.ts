import { Type } from '@sinclair/typebox'
import { created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { anyone, requireUser, signedIn } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import type { Users } from '../users/users.service.ts'
import { readNewOrg, readProfile } from './create-org.ts'
import { CreateOrgOption, EditOrgOption, Organization, RenameOrgOption } from './orgs.model.ts'
import { presentOrganization } from './orgs.present.ts'
import type { Orgs } from './orgs.service.ts'

interface OrgOperationDeps {
  readonly guards: Pick<Guards, 'org'>
  readonly orgs: Orgs
  readonly site: Site
  readonly users: Pick<Users, 'getOwn'>
}

/** Creating, reading, editing and deleting organizations (behaviour/orgs-webhooks-actions#organizations). */
export function orgOperations({ guards, orgs, site, users }: OrgOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'orgGetAll',
      method: 'GET',
      path: '/orgs',
      area: 'organization',
      summary: 'List the organizations the caller may see',
      scopes: ['organization'],
      guard: anyone,
      query: pagingQuery,
      responses: { 200: Type.Array(Organization) },
      async handler({ viewer, paging }) {
        const page = await orgs.list(viewer, paging)
        return listed(
          page,
          page.items.map((org) => presentOrganization(org, viewer, site)),
        )
      },
    }),
    defineOperation({
      id: 'orgCreate',
      method: 'POST',
      path: '/orgs',
      area: 'organization',
      summary: 'Create an organization; the caller becomes its first owner',
      scopes: ['organization'],
      guard: signedIn,
      body: CreateOrgOption,
      responses: { 201: Organization },
      errors: [403, 422],
      async handler({ viewer, access, body }) {
        const owner = await users.getOwn(access)
        return created(presentOrganization(await orgs.create(access, owner, readNewOrg(body)), viewer, site))
      },
    }),
    defineOperation({
      id: 'orgGet',
      method: 'GET',
      path: '/orgs/{org}',
      area: 'organization',
      summary: 'An organization',
      scopes: ['organization'],
      guard: guards.org('see'),
      responses: { 200: Organization },
      errors: [404],
      handler: ({ viewer, access: { org } }) => ok(presentOrganization(org, viewer, site)),
    }),
    ...ownerOperations({ guards, orgs, site }),
  ]
}

function ownerOperations({ guards, orgs, site }: Omit<OrgOperationDeps, 'users'>): Operation[] {
  return [
    defineOperation({
      id: 'orgEdit',
      method: 'PATCH',
      path: '/orgs/{org}',
      area: 'organization',
      summary: 'Edit an organization; absent members do not change',
      scopes: ['organization'],
      guard: guards.org('owner'),
      body: EditOrgOption,
      responses: { 200: Organization },
      errors: [403, 404, 422],
      async handler({ viewer, access: { org }, body }) {
        return ok(presentOrganization(await orgs.edit(requireUser(viewer), org, readProfile(body)), viewer, site))
      },
    }),
    defineOperation({
      id: 'orgDelete',
      method: 'DELETE',
      path: '/orgs/{org}',
      area: 'organization',
      summary: 'Delete an organization that owns no repository',
      scopes: ['organization'],
      guard: guards.org('owner'),
      responses: { 204: null },
      errors: [403, 404, 422],
      async handler({ viewer, access: { org } }) {
        await orgs.delete(requireUser(viewer), org)
        return noContent()
      },
    }),
    defineOperation({
      id: 'renameOrg',
      method: 'POST',
      path: '/orgs/{org}/rename',
      area: 'organization',
      summary: 'Rename an organization; the old name redirects to the new one',
      scopes: ['organization'],
      guard: guards.org('owner'),
      body: RenameOrgOption,
      responses: { 204: null },
      errors: [403, 404, 422],
      async handler({ viewer, access: { org }, body }) {
        await orgs.rename(requireUser(viewer), org, body.new_name)
        return noContent()
      },
    }),
  ]
}
