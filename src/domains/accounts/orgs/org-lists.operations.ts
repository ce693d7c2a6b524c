import { Type } from '@sinclair/typebox'
import { created, listed, ok } from '../../../core/http/answer/answer.ts'
import { requireSiteAdmin, requireUser, signedIn, siteAdmin } from '../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import type { User } from '../users/user.store.ts'
import type { Users } from '../users/users.service.ts'
import { readNewOrg } from './create-org.ts'
import { CreateOrgOption, Organization, OrganizationPermissions } from './orgs.model.ts'
import { presentOrganization, presentOrganizationPermissions } from './orgs.present.ts'
import type { Orgs } from './orgs.service.ts'

interface OrgListOperationDeps {
  readonly guards: Pick<Guards, 'visibleUserSignedIn'>
  readonly orgs: Orgs
  readonly site: Site
  readonly users: Pick<Users, 'getOwn'>
}

/** Organizations of a user, and the permissions of a user in one (behaviour/orgs-webhooks-actions#organizations). */
export function orgListOperations(deps: OrgListOperationDeps): Operation[] {
  const { guards, orgs, site, users } = deps
  return [
    defineOperation({
      id: 'orgListCurrentUserOrgs',
      method: 'GET',
      path: '/user/orgs',
      area: 'organization',
      summary: "List the caller's organizations",
      scopes: ['user', 'organization'],
      guard: signedIn,
      query: pagingQuery,
      responses: { 200: Type.Array(Organization) },
      async handler({ viewer, access, paging }) {
        const page = await orgs.listOf(access, await users.getOwn(access), paging)
        return listed(
          page,
          page.items.map((org) => presentOrganization(org, viewer, site)),
        )
      },
    }),
    defineOperation({
      id: 'orgListUserOrgs',
      method: 'GET',
      path: '/users/{username}/orgs',
      area: 'organization',
      summary: 'List the organizations of a user that the caller may see',
      scopes: ['user', 'organization'],
      guard: guards.visibleUserSignedIn,
      query: pagingQuery,
      responses: { 200: Type.Array(Organization) },
      errors: [404],
      async handler({ viewer, access: user, paging }) {
        const page = await orgs.listOf(requireUser(viewer), user, paging)
        return listed(
          page,
          page.items.map((org) => presentOrganization(org, viewer, site)),
        )
      },
    }),
    defineOperation({
      id: 'orgGetUserPermissions',
      method: 'GET',
      path: '/users/{username}/orgs/{org}/permissions',
      area: 'organization',
      summary: 'What a user may do in an organization',
      scopes: ['user', 'organization'],
      guard: userAndOrg(deps),
      responses: { 200: OrganizationPermissions },
      errors: [403, 404],
      handler: async ({ access: { user, org } }) =>
        ok(presentOrganizationPermissions(await orgs.rightsOf(org, user.id))),
    }),
    ...adminOperations(deps),
  ]
}

/** `{username}` and `{org}`; the viewer must be able to see both. */
function userAndOrg({ guards, orgs }: OrgListOperationDeps): Guard<{ readonly user: User; readonly org: User }> {
  const { resolve, privacy } = guards.visibleUserSignedIn
  return {
    kind: 'user',
    describe: 'a signed-in user who may see the user and the organization',
    needsUser: true,
    resolve: async (input) => ({
      user: await resolve(input),
      org: (await orgs.getInView(input.viewer, input.params['org']!)).org,
    }),
    privacy: ({ user, org }) =>
      org.visibility === 'public' ? privacy?.(user) : 'token scope is limited to public orgs',
  }
}

function adminOperations({ guards, orgs, site }: OrgListOperationDeps): Operation[] {
  /** `{username}`, for site administrators only. */
  const target: Guard<User> = {
    ...guards.visibleUserSignedIn,
    kind: 'site-admin',
    describe: 'a site administrator',
    async resolve(input) {
      requireSiteAdmin(input.viewer)
      return guards.visibleUserSignedIn.resolve(input)
    },
  }
  return [
    defineOperation({
      id: 'adminGetAllOrgs',
      method: 'GET',
      path: '/admin/orgs',
      area: 'admin',
      summary: 'List all organizations',
      scopes: ['admin'],
      guard: siteAdmin,
      query: pagingQuery,
      responses: { 200: Type.Array(Organization) },
      errors: [403],
      async handler({ viewer, paging }) {
        const page = await orgs.listAll(paging)
        return listed(
          page,
          page.items.map((org) => presentOrganization(org, viewer, site)),
        )
      },
    }),
    defineOperation({
      id: 'adminListUserOrgs',
      method: 'GET',
      path: '/admin/users/{username}/orgs',
      area: 'admin',
      summary: "List a user's organizations",
      scopes: ['admin'],
      guard: target,
      query: pagingQuery,
      responses: { 200: Type.Array(Organization) },
      errors: [403, 404],
      async handler({ viewer, access: user, paging }) {
        const page = await orgs.listOf(requireUser(viewer), user, paging)
        return listed(
          page,
          page.items.map((org) => presentOrganization(org, viewer, site)),
        )
      },
    }),
    defineOperation({
      id: 'adminCreateOrg',
      method: 'POST',
      path: '/admin/users/{username}/orgs',
      area: 'admin',
      summary: 'Create an organization for a user, who becomes its first owner',
      scopes: ['admin'],
      guard: target,
      body: CreateOrgOption,
      responses: { 201: Organization },
      errors: [403, 404, 422],
      async handler({ viewer, access: owner, body }) {
        return created(
          presentOrganization(await orgs.create(requireUser(viewer), owner, readNewOrg(body)), viewer, site),
        )
      },
    }),
  ]
}
