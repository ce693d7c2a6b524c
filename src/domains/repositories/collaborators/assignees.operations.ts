import { Type } from '@sinclair/typebox'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { ok, noContent } from '../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import { UserModel as User, TeamModel as Team, presentTeam, userPresenters } from '../../accounts/index.ts'
import type { Collaboration } from './collaboration.service.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import type { RepoTeams } from './team-repos.service.ts'

interface AssigneeOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly collaboration: Pick<Collaboration, 'assignees' | 'reviewers'>
  readonly site: Site
}

/** Operations that list the users who can be assigned or requested as reviewers; the lists have no pages. */
export function assigneeOperations({ collaboration, guards, site }: AssigneeOperationDeps): Operation[] {
  const common = {
    method: 'GET',
    area: 'repository',
    scopes: ['repository'],
    guard: guards.repo('see', { needsUser: true }),
    responses: { 200: Type.Array(User) },
  } as const
  return [
    defineOperation({
      ...common,
      id: 'repoGetAssignees',
      path: '/repos/{owner}/{repo}/assignees',
      summary: 'Users whom issues may be assigned to',
      errors: [401, 404],
      handler: async ({ access: { repo }, viewer }) =>
        ok((await collaboration.assignees(repo)).map((user) => userPresenters.present(user, viewer, site))),
    }),
    defineOperation({
      ...common,
      id: 'repoGetReviewers',
      path: '/repos/{owner}/{repo}/reviewers',
      summary: 'Users of whom a review may be asked',
      errors: [401, 403, 404],
      handler: async ({ access: { repo }, viewer }) =>
        ok(
          (await collaboration.reviewers(viewer as SignedIn, repo)).map((user) =>
            userPresenters.present(user, viewer, site),
          ),
        ),
    }),
  ]
}

const PATH = '/repos/{owner}/{repo}/teams'

interface RepoTeamOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly repoTeams: RepoTeams
  readonly site: Site
}

/** Operations on the teams of a repository in its organization (behaviour/repositories#teams-of-a-repository). */
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
