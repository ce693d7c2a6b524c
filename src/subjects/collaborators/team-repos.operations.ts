import { Type } from '@sinclair/typebox'
import { isPublicOnly } from '../../access/viewer.ts'
import type { AreaDeps } from '../../app/deps.ts'
import { listed, noContent, ok } from '../../http/answer.ts'
import { requireUser } from '../../http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { pagingQuery } from '../../http/paging-members.ts'
import { forbidden } from '../../platform/errors.ts'
import { BY_ID } from '../repos/lists/repo-list.store.ts'
import { isPublicRepo } from '../repos/lookup.ts'
import { presentRepo } from '../repos/repo.present.ts'
import { Repository } from '../repos/repository.model.ts'

const PATH = '/teams/{id}/repos'

/** COMPAT: `{org}` is not looked at, the team's own organization counts. */
export function teamRepoRoutes({
  guards,
  repos,
  site,
  teamRepos,
}: Pick<AreaDeps, 'guards' | 'repos' | 'site' | 'teamRepos'>): Operation[] {
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
        const found = await repos.getInViewById(viewer, (await teamRepos.get(access, params['repo']!)).id)
        if (isPublicOnly(viewer) && !isPublicRepo(found.repo)) throw forbidden('token scope is limited to public repos')
        return ok(presentRepo(await repos.view(viewer, found), site))
      },
    }),
    defineOperation({
      ...change,
      id: 'orgAddTeamRepository',
      method: 'PUT',
      summary: 'Give a team a repository of its organization',
      async handler({ viewer, access, params }) {
        await teamRepos.add(requireUser(viewer), access, params['repo']!)
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'orgRemoveTeamRepository',
      method: 'DELETE',
      summary: 'Take a repository from a team',
      async handler({ viewer, access, params }) {
        await teamRepos.remove(requireUser(viewer), access, params['repo']!)
        return noContent()
      },
    }),
  ]
}
