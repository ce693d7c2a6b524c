import { findRepoByName, type Repo } from '../../db/stores/repo.store.ts'
import { deleteTeamRepo, insertTeamRepo, teamHoldsRepo } from '../../db/stores/team-repo.store.ts'
import { appendEvent } from '../../events/index.ts'
import { forbidden, invalid, notFound } from '../../platform/errors.ts'
import { isRepoAdmin } from '../../policy/repo-access.ts'
import type { SignedIn } from '../../policy/viewer.ts'
import { loadRepoAccess } from '../access/index.ts'
import type { OrgDeps } from './deps.ts'
import type { TeamOf } from './teams.service.ts'

/** Which repositories a team reaches (reference orgs-webhooks-actions §5). */
export interface TeamRepos {
  /** Throws NotFound unless the team holds the repository of its organization. */
  get(found: TeamOf, name: string): Promise<Repo>
  /** One that is there already is left alone. Throws NotFound, Forbidden without admin access to the repository. */
  add(viewer: SignedIn, found: TeamOf, name: string): Promise<void>
  /** As add; Invalid for a team that includes all repositories. */
  remove(viewer: SignedIn, found: TeamOf, name: string): Promise<void>
}

export function createTeamRepos({ database, clock }: OrgDeps): TeamRepos {
  const { read } = database
  const find = async ({ org }: TeamOf, name: string): Promise<Repo> => {
    const repo = await findRepoByName(read, org, name)
    if (repo === undefined) throw notFound('repository does not exist')
    return repo
  }
  const requireAdmin = async (viewer: SignedIn, repo: Repo): Promise<void> => {
    if (!isRepoAdmin(await loadRepoAccess(read, viewer, repo))) throw forbidden('Must have admin-level access to the repository')
  }
  return {
    async get(found, name) {
      const repo = await find(found, name)
      if (!(await teamHoldsRepo(read, found.team, repo))) throw notFound('repository is not of the team')
      return repo
    },

    async add(viewer, found, name) {
      const { org, team } = found
      const repo = await find(found, name)
      await requireAdmin(viewer, repo)
      await database.transaction(async (tx) => {
        if (await teamHoldsRepo(tx, team, repo)) return
        await insertTeamRepo(tx, team, repo.id)
        await appendEvent(tx, 'team.repo_added', { actorId: viewer.account.id, repoId: repo.id, at: clock.now() }, { repo_id: repo.id, org_id: org.id, team_id: team.id })
      })
    },

    async remove(viewer, found, name) {
      const { org, team } = found
      const repo = await find(found, name)
      await requireAdmin(viewer, repo)
      if (team.includesAllRepositories) throw invalid('the team includes all repositories of the organization')
      await database.transaction(async (tx) => {
        if (!(await teamHoldsRepo(tx, team, repo))) return
        await deleteTeamRepo(tx, team, repo.id)
        await appendEvent(tx, 'team.repo_removed', { actorId: viewer.account.id, repoId: repo.id, at: clock.now() }, { repo_id: repo.id, org_id: org.id, team_id: team.id })
      })
    },
  }
}
