import type { Core } from '../../../core/module.ts'
import { AccessMode, isRepoAdmin } from '../../../core/access/repo-access.ts'
import type { Actor, SignedIn } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { forbidden, invalid, notAllowed, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { type Team, type TeamOf, teamQueries, userQueries } from '../../accounts/index.ts'
import { type Repo, findRepoByName } from '../repos/repo.store.ts'
import { loadRepoAccess } from '../repos/lookup.ts'
import { deleteHiddenWatches } from '../social/watches/hidden-watches.ts'
import { listTeamWatchers, watchRepoByTeams } from '../social/watches/watches.store.ts'

interface TeamRepoDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  /** Whether members of a team watch the repositories that are added to it. */
  readonly autoWatch: boolean
}

export type TeamRepos = ReturnType<typeof createTeamRepos>

/** The repositories of a team (behaviour/orgs-webhooks-actions#teams). */
export function createTeamRepos(deps: TeamRepoDeps) {
  const { database } = deps
  const { read } = database
  const find = async ({ org }: TeamOf, name: string): Promise<Repo> => {
    const repo = await findRepoByName(read, org, name)
    if (repo === undefined) throw errors.repoNotFound()
    return repo
  }
  const requireAdmin = async (actor: SignedIn, repo: Repo): Promise<void> => {
    if (!isRepoAdmin(await loadRepoAccess(read, actor, repo)))
      throw forbidden('Must have admin-level access to the repository')
  }
  return {
    /** Throws NotFound unless the team includes this repository of its organization. */
    async get(found: TeamOf, name: string): Promise<Repo> {
      const repo = await find(found, name)
      if (!(await teamQueries.hasRepo(read, found.team, repo))) throw notFound('repository is not of the team')
      return repo
    },

    /** Does nothing if the team includes it. Throws NotFound, Forbidden without admin access to the repository. */
    async add(actor: SignedIn, { org, team }: TeamOf, name: string): Promise<void> {
      const repo = await find({ org, team }, name)
      await requireAdmin(actor, repo)
      await database.transaction((tx) => addToTeam(deps, tx, actor, { team, repo }))
    },

    /** Throws the errors of `add`, and Invalid for a team that includes all repositories. */
    async delete(actor: SignedIn, { org, team }: TeamOf, name: string): Promise<void> {
      const repo = await find({ org, team }, name)
      await requireAdmin(actor, repo)
      if (team.includesAllRepositories) return
      await database.transaction((tx) => deleteFromTeam(deps, tx, actor, { team, repo }))
    },
  }
}

export type RepoTeams = ReturnType<typeof createRepoTeams>

/**
 * The teams of a repository, by name (behaviour/repositories#teams-of-a-repository). Every method throws NotAllowed if
 * the owner is not an organization, and NotFound for an unknown team.
 */
export function createRepoTeams(deps: TeamRepoDeps) {
  const { database } = deps
  const find = async (repo: Repo, name: string): Promise<Team> => {
    requireOrg(repo)
    const team = await teamQueries.findByName(database.read, repo.ownerId, name)
    if (team === undefined) throw notFound(`team does not exist [org_id ${repo.ownerId}, team_id 0, name: ${name}]`)
    return team
  }
  /**
   * NOTE: members of a team with admin permission own its repositories (behaviour/auth-and-access#permission-model);
   * collaborators who administrate them do not.
   */
  const requireTeamAdmin = async (actor: SignedIn, repo: Repo): Promise<void> => {
    if (
      repo.owner.repoAdminChangeTeamAccess ||
      (await loadRepoAccess(database.read, actor, repo)).mode === AccessMode.owner
    )
      return
    throw forbidden('user is nor repo admin nor owner')
  }
  return {
    /** The owners first, then by name. */
    async list(repo: Repo): Promise<Team[]> {
      requireOrg(repo)
      return teamQueries.listOfRepo(database.read, repo)
    },

    /** Throws NotFound if the team does not include the repository. */
    async get(repo: Repo, name: string): Promise<Team> {
      const team = await find(repo, name)
      if (!(await teamQueries.hasRepo(database.read, team, repo)))
        throw notFound('the team does not have the repository')
      return team
    },

    /** Throws Invalid if the team includes it already, Forbidden if only owners may change teams. */
    async add(actor: SignedIn, repo: Repo, name: string): Promise<void> {
      requireOrg(repo)
      await requireTeamAdmin(actor, repo)
      const team = await find(repo, name)
      const isAdded = await database.transaction((tx) => addToTeam(deps, tx, actor, { team, repo }))
      if (!isAdded) throw invalid(`team '${team.name}' is already added to repo`)
    },

    /**
     * Throws Invalid if the team does not include it, and the Forbidden of `add`; ignores teams that include all
     * repositories.
     */
    async delete(actor: SignedIn, repo: Repo, name: string): Promise<void> {
      requireOrg(repo)
      await requireTeamAdmin(actor, repo)
      const team = await find(repo, name)
      if (team.includesAllRepositories) return
      const isDeleted = await database.transaction((tx) => deleteFromTeam(deps, tx, actor, { team, repo }))
      if (!isDeleted) throw invalid(`team '${team.name}' was not added to repo`)
    },
  }
}

function requireOrg({ owner }: Repo): void {
  if (owner.kind !== 'organization') throw notAllowed('repo is not owned by an organization')
}

interface TeamAndRepo {
  readonly team: Team
  readonly repo: Repo
}

/** Adds the repository to the team, whose members then watch it. False if the team included it. */
async function addToTeam(
  { clock, events, autoWatch }: TeamRepoDeps,
  tx: Tx,
  actor: Actor,
  { team, repo }: TeamAndRepo,
): Promise<boolean> {
  if (await teamQueries.hasRepo(tx, team, repo)) return false
  const at = clock.now()
  await teamQueries.insertRepo(tx, team, repo.id)
  if (autoWatch) await watchRepoByTeams(tx, repo, [team.id], at)
  await events.append(
    tx,
    'team.repo_added',
    { actor, repoId: repo.id, at },
    { repo_id: repo.id, org_id: team.orgId, team_id: team.id },
  )
  return true
}

/**
 * Deletes the repository from the team and the watches of members who lose access. False if the team did not include
 * it.
 */
async function deleteFromTeam(
  { clock, events }: TeamRepoDeps,
  tx: Tx,
  actor: Actor,
  { team, repo }: TeamAndRepo,
): Promise<boolean> {
  if (!(await teamQueries.hasRepo(tx, team, repo))) return false
  await teamQueries.deleteRepo(tx, team, repo.id)
  for (const user of await userQueries.listByIds(tx, await listTeamWatchers(tx, team.id, repo.id)))
    await deleteHiddenWatches(tx, repo.owner, user)
  await events.append(
    tx,
    'team.repo_removed',
    { actor, repoId: repo.id, at: clock.now() },
    { repo_id: repo.id, org_id: team.orgId, team_id: team.id },
  )
  return true
}
