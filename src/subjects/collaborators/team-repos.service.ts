import { AccessMode } from '../../access/access-mode.ts'
import { isRepoAdmin } from '../../access/repo-access.ts'
import type { SignedIn } from '../../access/viewer.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Events } from '../../events/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { forbidden, invalid, notAllowed, notFound } from '../../platform/errors.ts'
import type { UserId } from '../../platform/ids.ts'
import {
  deleteTeamRepo,
  findTeamByName,
  insertTeamRepo,
  listTeamsOfRepo,
  type Team,
  teamHoldsRepo,
  type TeamOf,
} from '../orgs/index.ts'
import { findRepoByName, loadRepoAccess, type Repo } from '../repos/index.ts'
import { deleteHiddenWatches, listTeamWatchers, watchRepoByTeams } from '../social/index.ts'
import { listUsersByIds } from '../users/index.ts'

/** The repositories of a team (behaviour/orgs-webhooks-actions#teams). */
export interface TeamRepos {
  /** Throws NotFound unless the team has this repository of its organization. */
  get(found: TeamOf, name: string): Promise<Repo>
  /** Does nothing when the team has it. Throws NotFound, Forbidden without admin access to the repository. */
  add(viewer: SignedIn, found: TeamOf, name: string): Promise<void>
  /** As add; Invalid for a team that includes all repositories. */
  delete(viewer: SignedIn, found: TeamOf, name: string): Promise<void>
}

/**
 * The teams of a repository, by name (behaviour/repositories#teams-of-a-repository). Everything throws NotAllowed when
 * the owner is no organization and NotFound for an unknown team.
 */
export interface RepoTeams {
  /** The owners first, then A-Z. */
  list(repo: Repo): Promise<Team[]>
  /** Throws NotFound for a team without the repository. */
  get(repo: Repo, name: string): Promise<Team>
  /** Throws Invalid when it is there already, Forbidden where only owners may change teams. */
  add(viewer: SignedIn, repo: Repo, name: string): Promise<void>
  /**
   * Throws Invalid when it was not there, Forbidden as add; nothing happens to a team that includes all repositories.
   */
  delete(viewer: SignedIn, repo: Repo, name: string): Promise<void>
}

interface TeamRepoDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
  /** Members of a team watch the repositories that it gets. */
  readonly autoWatch: boolean
}

export function createTeamRepos(deps: TeamRepoDeps): TeamRepos {
  const { database } = deps
  const { read } = database
  const find = async ({ org }: TeamOf, name: string): Promise<Repo> => {
    const repo = await findRepoByName(read, org, name)
    if (repo === undefined) throw notFound('repository does not exist')
    return repo
  }
  const requireAdmin = async (viewer: SignedIn, repo: Repo): Promise<void> => {
    if (!isRepoAdmin(await loadRepoAccess(read, viewer, repo)))
      throw forbidden('Must have admin-level access to the repository')
  }
  return {
    async get(found, name) {
      const repo = await find(found, name)
      if (!(await teamHoldsRepo(read, found.team, repo))) throw notFound('repository is not of the team')
      return repo
    },

    async add(viewer, { org, team }, name) {
      const repo = await find({ org, team }, name)
      await requireAdmin(viewer, repo)
      await database.transaction((tx) => addTeamRepo(deps, tx, viewer.account.id, { team, repo }))
    },

    async delete(viewer, { org, team }, name) {
      const repo = await find({ org, team }, name)
      await requireAdmin(viewer, repo)
      if (team.includesAllRepositories) return
      await database.transaction((tx) => removeTeamRepo(deps, tx, viewer.account.id, { team, repo }))
    },
  }
}

export function createRepoTeams(deps: TeamRepoDeps): RepoTeams {
  const { database } = deps
  const find = async (repo: Repo, name: string): Promise<Team> => {
    requireOrg(repo)
    const team = await findTeamByName(database.read, repo.ownerId, name)
    if (team === undefined) throw notFound(`team does not exist [org_id ${repo.ownerId}, team_id 0, name: ${name}]`)
    return team
  }
  /**
   * NOTE: members of a team with admin permission own its repositories (behaviour/auth-and-access#permission-model);
   * collaborators who administrate them do not.
   */
  const requireChanger = async (viewer: SignedIn, repo: Repo): Promise<void> => {
    if (
      repo.owner.repoAdminChangeTeamAccess ||
      (await loadRepoAccess(database.read, viewer, repo)).mode === AccessMode.owner
    )
      return
    throw forbidden('user is nor repo admin nor owner')
  }
  return {
    async list(repo) {
      requireOrg(repo)
      return listTeamsOfRepo(database.read, repo)
    },

    async get(repo, name) {
      const team = await find(repo, name)
      if (!(await teamHoldsRepo(database.read, team, repo))) throw notFound('the team does not have the repository')
      return team
    },

    async add(viewer, repo, name) {
      requireOrg(repo)
      await requireChanger(viewer, repo)
      const team = await find(repo, name)
      const added = await database.transaction((tx) => addTeamRepo(deps, tx, viewer.account.id, { team, repo }))
      if (!added) throw invalid(`team '${team.name}' is already added to repo`)
    },

    async delete(viewer, repo, name) {
      requireOrg(repo)
      await requireChanger(viewer, repo)
      const team = await find(repo, name)
      if (team.includesAllRepositories) return
      const removed = await database.transaction((tx) => removeTeamRepo(deps, tx, viewer.account.id, { team, repo }))
      if (!removed) throw invalid(`team '${team.name}' was not added to repo`)
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

/** The team's members watch the repository from then on. False when the team had it. */
async function addTeamRepo(
  { clock, events, autoWatch }: TeamRepoDeps,
  tx: Tx,
  actorId: UserId,
  { team, repo }: TeamAndRepo,
): Promise<boolean> {
  if (await teamHoldsRepo(tx, team, repo)) return false
  const at = clock.now()
  await insertTeamRepo(tx, team, repo.id)
  if (autoWatch) await watchRepoByTeams(tx, repo, [team.id], at)
  await events.append(
    tx,
    'team.repo_added',
    { actorId, repoId: repo.id, at },
    { repo_id: repo.id, org_id: team.orgId, team_id: team.id },
  )
  return true
}

/** Members who can no longer see the repository stop watching it. False when the team did not have it. */
async function removeTeamRepo(
  { clock, events }: TeamRepoDeps,
  tx: Tx,
  actorId: UserId,
  { team, repo }: TeamAndRepo,
): Promise<boolean> {
  if (!(await teamHoldsRepo(tx, team, repo))) return false
  await deleteTeamRepo(tx, team, repo.id)
  for (const user of await listUsersByIds(tx, await listTeamWatchers(tx, team.id, repo.id)))
    await deleteHiddenWatches(tx, repo.owner, user)
  await events.append(
    tx,
    'team.repo_removed',
    { actorId, repoId: repo.id, at: clock.now() },
    { repo_id: repo.id, org_id: team.orgId, team_id: team.id },
  )
  return true
}
