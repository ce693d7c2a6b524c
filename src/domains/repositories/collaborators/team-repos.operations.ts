import { Type } from '@sinclair/typebox'
import { listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import { BY_ID } from '../repos/lists/repo-order.ts'
import { presentRepo } from '../repos/repo.present.ts'
import type { Repos } from '../repos/repos.service.ts'
import { Repository } from '../repos/repos.model.ts'
import { requireVisible } from '../repos/lookup.ts'
import type { Guards } from '../../../core/module.ts'
import type { TeamRepos } from './team-repos.service.ts'

const PATH = '/teams/{id:int}/repos'

interface TeamRepoOperationDeps {
  readonly guards: Pick<Guards, 'team'>
  readonly repos: Pick<Repos, 'authorize' | 'list' | 'view'>
  readonly site: Site
  readonly teamRepos: TeamRepos
}

/** COMPAT: `{org}` is ignored in favour of the team's own organization (test/accounts/orgs/teams.test.ts). */
export function teamRepoOperations({ guards, repos, site, teamRepos }: TeamRepoOperationDeps): Operation[] {
  const common = { area: 'organization', scopes: ['organization'], guard: guards.team('member') } as const
  const change = { ...common, path: `${PATH}/{org}/{repo}`, responses: { 204: null }, errors: [403, 404, 422] } as const
  return [
    defineOperation({
      ...common,
      id: 'orgListTeamRepos',
      method: 'GET',
      path: PATH,
      summary: 'List the repositories of a team that the caller may see',
      query: pagingQuery,
      responses: { 200: Type.Array(Repository) },
      errors: [403, 404],
      async handler({ viewer, access: { team }, paging }) {
        const page = await repos.list(viewer, { filter: { teamId: team.id }, order: BY_ID }, paging)
        return listed(
          page,
          page.items.map((view) => presentRepo(view, site)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'orgListTeamRepo',
      method: 'GET',
      path: `${PATH}/{org}/{repo}`,
      summary: 'A repository of a team',
      responses: { 200: Repository },
      errors: [403, 404],
      async handler({ viewer, access, params }) {
        const { id } = await teamRepos.get(access, params.repo)
        const decision = await repos.authorize(viewer, { id }, { level: 'see' })
        if (decision.kind === 'forbidden') throw forbidden('token scope is limited to public repos')
        return ok(presentRepo(await repos.view(viewer, requireVisible(decision)), site))
      },
    }),
    defineOperation({
      ...change,
      id: 'orgAddTeamRepository',
      method: 'PUT',
      summary: 'Give a team a repository of its organization',
      async handler({ viewer, access, params }) {
        await teamRepos.add(requireUser(viewer), access, params.repo)
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'orgRemoveTeamRepository',
      method: 'DELETE',
      summary: 'Take a repository from a team',
      async handler({ viewer, access, params }) {
        await teamRepos.delete(requireUser(viewer), access, params.repo)
        return noContent()
      },
    }),
  ]
}
