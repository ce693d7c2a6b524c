import { Type } from '@sinclair/typebox'
import { URL_LENGTH } from '../../../../core/http/body/limits.ts'
import { isUnit } from '../../../../core/access/repo-access.ts'
import { created, listed, noContent, ok, unknownWords, withWarnings } from '../../../../core/http/answer/answer.ts'
import { requireUser, signedIn } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingMembers, pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import type { OrgGuard } from '../org.guards.ts'
import { CreateTeamOption, EditTeamOption, Team, TeamSearchResults } from '../orgs.model.ts'
import { presentTeam } from '../orgs.present.ts'
import { isTeamLevel } from './team-units.policy.ts'
import type { NewTeam, TeamChanges, Teams } from './teams.service.ts'

interface TeamOperationDeps {
  readonly guards: Pick<Guards, 'org' | 'team'>
  readonly site: Site
  readonly teams: Teams
}

/** Teams (behaviour/orgs-webhooks-actions#teams). */
export function teamOperations(deps: TeamOperationDeps): Operation[] {
  return [...teamsOfOrgOperations(deps), ...teamSearchOperations(deps), ...oneTeamOperations(deps)]
}

function teamsOfOrgOperations({ guards, site, teams }: TeamOperationDeps): Operation[] {
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
      async handler({ viewer, access, paging }) {
        const page = await teams.list(requireUser(viewer), access, paging)
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
        const team = await teams.create(requireUser(viewer), org, readNewTeam(body))
        return withWarnings(created(presentTeam(team, { org, viewer, site })), warningsOf(body))
      },
    }),
  ]
}

function teamSearchOperations({ guards, site, teams }: TeamOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'teamSearch',
      method: 'GET',
      path: '/orgs/{org}/teams/search',
      area: 'organization',
      scopes: ['organization'],
      summary: 'Search the teams of an organization that the caller may see',
      guard: guards.org('member'),
      query: Type.Object({
        ...pagingMembers,
        q: Type.Optional(Type.String({ maxLength: URL_LENGTH, description: 'Part of the name or description' })),
        include_desc: Type.Optional(Type.Boolean({ description: 'Search descriptions too; true by default' })),
      }),
      responses: { 200: TeamSearchResults },
      errors: [403, 404],
      async handler({ viewer, access, query, paging }) {
        const keyword = { text: query.q?.trim() ?? '', inDescription: query.include_desc ?? true }
        const page = await teams.list(requireUser(viewer), access, paging, keyword)
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

function oneTeamOperations({ guards, site, teams }: TeamOperationDeps): Operation[] {
  const common = { path: '/teams/{id:int}', area: 'organization', scopes: ['organization'] } as const
  return [
    defineOperation({
      ...common,
      id: 'orgGetTeam',
      method: 'GET',
      summary: 'A team',
      guard: guards.team('see'),
      responses: { 200: Team },
      errors: [403, 404],
      handler: ({ viewer, access: { org, team } }) => ok(presentTeam(team, { org, viewer, site })),
    }),
    defineOperation({
      ...common,
      id: 'orgEditTeam',
      method: 'PATCH',
      summary: 'Edit a team; absent members do not change',
      guard: guards.team('owner'),
      body: EditTeamOption,
      responses: { 200: Team },
      errors: [403, 404, 422],
      async handler({ viewer, access, body }) {
        const team = await teams.edit(requireUser(viewer), access, readChanges(body))
        return withWarnings(ok(presentTeam(team, { org: undefined, viewer, site })), warningsOf(body))
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
        await teams.delete(requireUser(viewer), access)
        return noContent()
      },
    }),
  ]
}

/**
 * COMPAT: the error for non-members mentions the membership, the error for members the ownership
 * (test/accounts/orgs/teams.test.ts).
 */
function orgOwner(guards: TeamOperationDeps['guards']): ReturnType<OrgGuard> {
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

const warningsOf = ({ permission = '', units = [], units_map: map = {} }: EditTeamOption): string[] => [
  ...unknownWords('permission', [permission], isTeamLevel),
  ...unknownWords('units', units, isUnit),
  ...unknownWords('units_map', Object.keys(map), isUnit),
]

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
    visibility: body.visibility,
  }
}
