import { Type } from '@sinclair/typebox'
import { listed, noContent } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { notFound } from '../../../core/platform/errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import { User } from '../users/user.model.ts'
import { presentUser } from '../users/user.present.ts'
import type { OrgMembers } from './org-members.service.ts'

interface MemberOperationDeps {
  readonly guards: Pick<Guards, 'org'>
  readonly orgMembers: OrgMembers
  readonly site: Site
}

/** Members of organizations (behaviour/orgs-webhooks-actions#members). Users become members through a team. */
export function memberOperations({ guards, orgMembers, site }: MemberOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'orgListMembers',
      method: 'GET',
      path: '/orgs/{org}/members',
      area: 'organization',
      summary: 'List the members that the caller may see',
      scopes: ['organization'],
      guard: guards.org('see', { needsUser: true }),
      query: pagingQuery,
      responses: { 200: Type.Array(User) },
      errors: [404],
      async handler({ viewer, access, paging }) {
        const page = await orgMembers.list(viewer, access, paging)
        return listed(
          page,
          page.items.map((user) => presentUser(user, viewer, site)),
        )
      },
    }),
    defineOperation({
      id: 'orgIsMember',
      method: 'GET',
      path: '/orgs/{org}/members/{username}',
      area: 'organization',
      summary: 'Whether a user is a member; non-members are redirected to the public members',
      scopes: ['organization'],
      guard: guards.org('see', { needsUser: true }),
      responses: { 204: null, 303: null },
      errors: [404],
      async handler({ viewer, access, params }) {
        const answer = await orgMembers.check(requireUser(viewer), access, params.username)
        if (answer === 'not-member') throw notFound('user is not a member')
        if (answer === 'member') return noContent()
        const prefix = new URL(site.rootUrl()).pathname.replace(/\/$/, '')
        return {
          status: 303,
          headers: {
            location: `${prefix}/api/v1/orgs/${access.org.name}/public_members/${encodeURIComponent(params.username)}`,
          },
        }
      },
    }),
    defineOperation({
      id: 'orgDeleteMember',
      method: 'DELETE',
      path: '/orgs/{org}/members/{username}',
      area: 'organization',
      summary: 'Remove a member from the organization and all its teams',
      scopes: ['organization'],
      guard: guards.org('owner'),
      responses: { 204: null },
      errors: [403, 404, 422],
      async handler({ viewer, access, params }) {
        await orgMembers.delete(requireUser(viewer), access, params.username)
        return noContent()
      },
    }),
    ...publicMemberOperations({ guards, orgMembers, site }),
  ]
}

function publicMemberOperations({ guards, orgMembers, site }: MemberOperationDeps): Operation[] {
  const change = (id: string, method: 'PUT' | 'DELETE', isPublic: boolean): Operation =>
    defineOperation({
      id,
      method,
      path: '/orgs/{org}/public_members/{username}',
      area: 'organization',
      summary: isPublic ? 'Make a membership public' : 'Make a membership private',
      scopes: ['organization'],
      guard: guards.org('member'),
      responses: { 204: null },
      errors: [403, 404],
      async handler({ viewer, access, params }) {
        await orgMembers.setPublic(requireUser(viewer), access, { name: params.username, isPublic })
        return noContent()
      },
    })
  return [
    defineOperation({
      id: 'orgListPublicMembers',
      method: 'GET',
      path: '/orgs/{org}/public_members',
      area: 'organization',
      summary: 'List the members with a public membership',
      scopes: ['organization'],
      guard: guards.org('see'),
      query: pagingQuery,
      responses: { 200: Type.Array(User) },
      errors: [404],
      async handler({ viewer, access: { org }, paging }) {
        const page = await orgMembers.listPublic(org, paging)
        return listed(
          page,
          page.items.map((user) => presentUser(user, viewer, site)),
        )
      },
    }),
    defineOperation({
      id: 'orgIsPublicMember',
      method: 'GET',
      path: '/orgs/{org}/public_members/{username}',
      area: 'organization',
      summary: 'Whether the membership of a user is public',
      scopes: ['organization'],
      guard: guards.org('see'),
      responses: { 204: null },
      errors: [404],
      async handler({ viewer, access, params }) {
        await orgMembers.requirePublic(viewer, access, params.username)
        return noContent()
      },
    }),
    change('orgPublicizeMember', 'PUT', true),
    change('orgConcealMember', 'DELETE', false),
  ]
}
