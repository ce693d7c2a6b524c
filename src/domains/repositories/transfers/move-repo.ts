import type { Core } from '../../../core/module.ts'
import { type Actor, actorOf } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { TeamId, UserId } from '../../../core/platform/crypto/ids.ts'
import { deleteCollaborationsOf } from '../collaborators/collaboration.store.ts'
import { type User, deleteTeamReposOf, insertTeamRepo, listTeamsByIds } from '../../accounts/index.ts'
import { recordRepoMove } from '../repos/changes/changes.store.ts'
import { type Repo, updateRepo } from '../repos/repo.store.ts'
import { findWatchMode, putWatch } from '../social/watches/watch.store.ts'
import { watchRepoByTeams } from '../social/watches/team-watch.store.ts'
import { deleteTransfer } from './transfer.store.ts'

export interface RepoMove {
  readonly repo: Repo
  readonly newOwner: User
  readonly teamIds: readonly TeamId[]
  /** The user who started the transfer; it watches the repository afterwards. */
  readonly doerId: UserId
  /** Who makes the move now: the doer, or the recipient who accepts. */
  readonly actor: Actor
}

interface MoveDeps extends Pick<Core, 'clock' | 'events'> {
  readonly rules: { readonly autoWatch: boolean }
}

/**
 * Changes the owner of a repository to one that has none of its name. The old path redirects to the new one; the teams
 * of the old organization lose the repository and the named teams of the new one get it. Files do not move.
 */
export async function moveRepo(
  tx: Tx,
  { clock, events, rules }: MoveDeps,
  { repo, newOwner, teamIds, doerId, actor }: RepoMove,
): Promise<void> {
  const at = clock.now()
  await deleteTransfer(tx, repo.id)
  await updateRepo(tx, repo.id, { owner_id: newOwner.id })
  await recordRepoMove(tx, repo.id, { from: repo.ownerId, to: newOwner.id, name: repo.name })
  await deleteTeamReposOf(tx, repo.ownerId, repo.id)
  await deleteCollaborationsOf(tx, repo.id, newOwner)
  const teams = (await listTeamsByIds(tx, teamIds)).filter((team) => team.orgId === newOwner.id)
  for (const team of teams) if (!team.includesAllRepositories) await insertTeamRepo(tx, team, repo.id)
  if (rules.autoWatch)
    await watchMoved(tx, { repo, newOwner, teamIds: teams.map((team) => team.id), doerId, actor }, at)
  await events.append(
    tx,
    'repo.transferred',
    { actor: actor.account.id === doerId ? actor : actorOf(doerId), performer: actor, repoId: repo.id, at },
    { repo_id: repo.id, name: repo.name, old_owner_id: repo.ownerId, owner_id: newOwner.id },
  )
}

async function watchMoved(tx: Tx, { repo, newOwner, teamIds, doerId }: RepoMove, at: number): Promise<void> {
  if ((await findWatchMode(tx, doerId, repo.id)) === undefined)
    await putWatch(tx, doerId, repo.id, { mode: 'auto', at })
  if (newOwner.kind !== 'organization') return
  const moved = { id: repo.id, ownerId: newOwner.id }
  await watchRepoByTeams(tx, moved, 'all-repositories', at)
  if (teamIds.length > 0) await watchRepoByTeams(tx, moved, teamIds, at)
}
