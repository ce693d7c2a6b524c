import { Type } from '@sinclair/typebox'
import type { AreaDeps } from '../../app/deps.ts'
import { created, listed, noContent, ok } from '../../http/answer.ts'
import { requireUser, signedIn } from '../../http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { pagingMembers, pagingQuery } from '../../http/paging-members.ts'
import { teamRepoRoutes } from '../collaborators/team-repos.operations.ts'
import { teamMemberRoutes } from './team-members.operations.ts'
import { CreateTeamOption, EditTeamOption, Team, TeamSearchResults } from './team.model.ts'
import { presentTeam } from './team.present.ts'
import type { NewTeam, TeamChanges } from './teams.service.ts'

type Deps = Pick<AreaDeps, 'guards' | 'site' | 'teams'>

/** Teams with their members and repositories (reference orgs-webhooks-actions §5). */
export function teamOperations(deps: AreaDeps): Operation[] {
  return [...orgTeamRoutes(deps), ...teamRoutes(deps), ...teamMemberRoutes(deps), ...teamRepoRoutes(deps)]
}

function orgTeamRoutes({ guards, site, teams }: Deps): Operation[] {
  const common = { area: 'organization', scopes: ['organization'] } as const
  return [
    defineOperation({
      ...common,
      id: 'orgListTeams',
      method: 'GET',
      path: '/orgs/{org}/teams',
      summary: 'List the teams of an organization',
      guard: guards.org('member'),
      query: pagingQuery,
      responses: { 200: Type.Array(Team) },
      errors: [403, 404],
      async handler({ viewer, access: { org }, paging }) {
        const page = await teams.list(org, paging)
        return listed(
          page,
          page.items.map((team) => presentTeam(team, { org: undefined, viewer, site })),
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'orgCreateTeam',
      method: 'POST',
      path: '/orgs/{org}/teams',
      summary: 'Create a team',
      guard: orgOwner(guards),
      body: CreateTeamOption,
      responses: { 201: Team },
      errors: [403, 404, 422],
      async handler({ viewer, access: { org }, body }) {
        const team = await teams.create(requireUser(viewer).account.id, org, readNewTeam(body))
        return created(presentTeam(team, { org, viewer, site }))
      },
    }),
    defineOperation({
      ...common,
      id: 'teamSearch',
      method: 'GET',
      path: '/orgs/{org}/teams/search',
      summary: 'Search the teams of an organization that the caller belongs to; site administrators search all',
      guard: guards.org('member'),
      query: Type.Object({
        ...pagingMembers,
        q: Type.Optional(Type.String({ description: 'Part of the name or description' })),
        include_desc: Type.Optional(
          Type.Boolean({ description: 'Look into descriptions too; true unless said otherwise' }),
        ),
      }),
      responses: { 200: TeamSearchResults },
      errors: [403, 404],
      async handler({ viewer, access: { org }, query, paging }) {
        const page = await teams.search(requireUser(viewer), org, {
          text: query.q?.trim() ?? '',
          inDescription: query.include_desc ?? true,
          paging,
        })
        return {
          ...ok({ ok: true, data: page.items.map((team) => presentTeam(team, { org: undefined, viewer, site })) }),
          total: page.total,
          link: true,
        }
      },
    }),
    defineOperation({
      id: 'userListTeams',
      method: 'GET',
      path: '/user/teams',
      area: 'user',
      summary: "List the caller's teams",
      scopes: ['user'],
      guard: signedIn,
      query: pagingQuery,
      responses: { 200: Type.Array(Team) },
      async handler({ viewer, access, paging }) {
        const page = await teams.listOf(access, paging)
        return listed(
          page,
          page.items.map(({ team, org }) => presentTeam(team, { org, viewer, site })),
        )
      },
    }),
  ]
}

function teamRoutes({ guards, site, teams }: Deps): Operation[] {
  const common = { path: '/teams/{id}', area: 'organization', scopes: ['organization'] } as const
  return [
    defineOperation({
      ...common,
      id: 'orgGetTeam',
      method: 'GET',
      summary: 'A team',
      guard: guards.team('member'),
      responses: { 200: Team },
      errors: [403, 404],
      handler: ({ viewer, access: { org, team } }) => ok(presentTeam(team, { org, viewer, site })),
    }),
    defineOperation({
      ...common,
      id: 'orgEditTeam',
      method: 'PATCH',
      summary: 'Edit a team; absent members stay as they are',
      guard: guards.team('owner'),
      body: EditTeamOption,
      responses: { 200: Team },
      errors: [403, 404, 422],
      async handler({ viewer, access, body }) {
        const team = await teams.edit(requireUser(viewer).account.id, access, readChanges(body))
        return ok(presentTeam(team, { org: undefined, viewer, site }))
      },
    }),
    defineOperation({
      ...common,
      id: 'orgDeleteTeam',
      method: 'DELETE',
      summary: 'Delete a team',
      guard: guards.team('owner'),
      responses: { 204: null },
      errors: [403, 404],
      async handler({ viewer, access }) {
        await teams.delete(requireUser(viewer).account.id, access)
        return noContent()
      },
    }),
  ]
}

/** COMPAT: strangers hear that they are no members, members that they are no owners. */
function orgOwner(guards: AreaDeps['guards']): ReturnType<AreaDeps['guards']['org']> {
  const member = guards.org('member')
  const owner = guards.org('owner')
  return {
    ...owner,
    decide(access, input) {
      member.decide?.(access, input)
      owner.decide?.(access, input)
    },
  }
}

const readNewTeam = (body: CreateTeamOption): NewTeam => ({ ...readChanges(body), name: body.name })

function readChanges(body: EditTeamOption): TeamChanges {
  return {
    name: body.name,
    description: body.description,
    permission: body.permission,
    units: body.units,
    unitsMap: body.units_map,
    includesAllRepositories: body.includes_all_repositories,
    canCreateOrgRepo: body.can_create_org_repo,
  }
}
