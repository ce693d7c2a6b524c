import { Type } from '@sinclair/typebox'
import { listed, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { presentUser } from '../../users/user.present.ts'
import { User } from '../../users/user.model.ts'
import type { TeamMembers } from './team-members.service.ts'

const PATH = '/teams/{id:int}/members'

interface TeamMemberOperationDeps {
  readonly guards: Pick<Guards, 'team'>
  readonly site: Site
  readonly teamMembers: TeamMembers
}

export function teamMemberOperations({ guards, site, teamMembers }: TeamMemberOperationDeps): Operation[] {
  const common = { area: 'organization', scopes: ['organization'] } as const
  const change = {
    ...common,
    path: `${PATH}/{username}`,
    guard: guards.team('owner'),
    responses: { 204: null },
    errors: [403, 404, 422],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'orgListTeamMembers',
      method: 'GET',
      path: PATH,
      summary: 'List the members of a team',
      guard: guards.team('member'),
      query: pagingQuery,
      responses: { 200: Type.Array(User) },
      errors: [403, 404],
      async handler({ viewer, access, paging }) {
        const page = await teamMembers.list(access, paging)
        return listed(
          page,
          page.items.map((user) => presentUser(user, viewer, site)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'orgListTeamMember',
      method: 'GET',
      path: `${PATH}/{username}`,
      summary: 'A member of a team',
      guard: guards.team('member'),
      responses: { 200: User },
      errors: [403, 404],
      handler: async ({ viewer, access, params }) =>
        ok(presentUser(await teamMembers.get(viewer, access, params.username), viewer, site)),
    }),
    defineOperation({
      ...change,
      id: 'orgAddTeamMember',
      method: 'PUT',
      summary: 'Add a user to a team and so to its organization',
      async handler({ viewer, access, params }) {
        await teamMembers.add(requireUser(viewer), access, params.username)
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'orgRemoveTeamMember',
      method: 'DELETE',
      summary: 'Remove a user from a team, and from the organization with the last team',
      async handler({ viewer, access, params }) {
        await teamMembers.delete(requireUser(viewer), access, params.username)
        return noContent()
      },
    }),
  ]
}
