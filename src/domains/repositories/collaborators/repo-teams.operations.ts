import { Type } from '@sinclair/typebox'
import { noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import { TeamModel as Team, presentTeam } from '../../accounts/index.ts'
import type { Guards } from '../../../core/module.ts'
import type { RepoTeams } from './team-repos.service.ts'

const PATH = '/repos/{owner}/{repo}/teams'

interface RepoTeamOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly repoTeams: RepoTeams
  readonly site: Site
}

/** Teams of a repository's organization that have it (behaviour/repositories#teams-of-a-repository). */
export function repoTeamOperations({ guards, repoTeams, site }: RepoTeamOperationDeps): Operation[] {
  const common = { area: 'repository', scopes: ['repository'] } as const
  const read = { ...common, guard: guards.repo('see', { needsUser: true }), errors: [404, 405] } as const
  const change = {
    ...common,
    path: `${PATH}/{team}`,
    guard: guards.repo('admin'),
    responses: { 204: null },
    errors: [403, 404, 405, 422],
  } as const
  return [
    defineOperation({
      ...read,
      id: 'repoListTeams',
      method: 'GET',
      path: PATH,
      summary: "List a repository's teams",
      responses: { 200: Type.Array(Team) },
      async handler({ viewer, access: { repo } }) {
        return ok((await repoTeams.list(repo)).map((team) => presentTeam(team, { org: undefined, viewer, site })))
      },
    }),
    defineOperation({
      ...read,
      id: 'repoCheckTeam',
      method: 'GET',
      path: `${PATH}/{team}`,
      summary: 'A team of a repository',
      responses: { 200: Team },
      async handler({ viewer, access: { repo }, params }) {
        return ok(presentTeam(await repoTeams.get(repo, params.team), { org: undefined, viewer, site }))
      },
    }),
    defineOperation({
      ...change,
      id: 'repoAddTeam',
      method: 'PUT',
      summary: 'Give a team the repository',
      async handler({ viewer, access: { repo }, params }) {
        await repoTeams.add(requireUser(viewer), repo, params.team)
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'repoDeleteTeam',
      method: 'DELETE',
      summary: 'Take the repository from a team',
      async handler({ viewer, access: { repo }, params }) {
        await repoTeams.delete(requireUser(viewer), repo, params.team)
        return noContent()
      },
    }),
  ]
}
