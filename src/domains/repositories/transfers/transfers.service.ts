import type { Core, Services } from '../../../core/module.ts'
import { AccessMode, canSeeRepo, NO_ACCESS } from '../../../core/access/repo-access.ts'
import {
  isRestrictedToken,
  isSiteAdmin,
  type SignedIn,
  type Viewer,
  viewerOfAccount,
  type Actor,
  actorOf,
} from '../../../core/access/viewer.ts'
import { type Database, type Db, retryOnUniqueViolation, type Tx } from '../../../core/db/database.ts'
import { forbidden, invalid, isDomainError, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { asId, type TeamId, type UserId } from '../../../core/platform/crypto/ids.ts'
import {
  findCollaborationMode,
  upsertCollaboration,
  deleteCollaborationsOf,
} from '../collaborators/collaboration.store.ts'
import { type User, userQueries, ownerQueries, teamQueries, blockQueries } from '../../accounts/index.ts'
import { type Repo, findRepoById, findRepoByName, lockRepo } from '../repos/repo.store.ts'
import { type RepoInView, getRepoInView, loadRepoAccess } from '../repos/lookup.ts'
import { repoLimitProblem } from '../repos/creation/create-repo.ts'
import { repoNameTaken } from '../repos/changes/edit-repo.ts'
import { deleteTransfer, insertTransfer, listTransfers, type Transfer } from './transfer.store.ts'
import { setRepoOwner } from '../repos/changes/changes.store.ts'
import { findWatchMode, putWatch, watchRepoByTeams } from '../social/watches/watches.store.ts'

interface TransferTarget {
  readonly newOwner: string
  /** Teams of the new organization that get the repository. */
  readonly teamIds?: readonly number[] | undefined
}

export interface TransferDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly quota: Services['quota']
  readonly rules: { readonly maxCreation: number; readonly autoWatch: boolean }
}

export type Transfers = ReturnType<typeof createTransfers>

/** Transfers of repositories to other users and organizations (behaviour/repositories#transfers). */
export function createTransfers(deps: TransferDeps) {
  const { read } = deps.database
  return {
    /**
     * Like `Repos.getInView`, but also finds the repository for the recipient of a pending transfer who cannot see it.
     */
    async getInView(viewer: Viewer, owner: string, name: string): Promise<RepoInView> {
      try {
        return await getRepoInView(read, viewer, owner, name)
      } catch (error) {
        const repo =
          isDomainError(error, 'not-found') && viewer.kind === 'user' && !isRestrictedToken(viewer)
            ? await findOfferedRepo(deps, viewer, owner, name)
            : undefined
        if (repo === undefined) throw error
        return { repo, access: NO_ACCESS }
      }
    },

    /**
     * Returns `done` if the actor may create repositories for the new owner, otherwise `pending` until the new owner
     * accepts. Throws NotFound (new owner), Invalid (teams, name in use), Conflict (pending already), Forbidden
     * (blocked, limit, team of another organization).
     */
    async start(actor: SignedIn, repo: Repo, target: TransferTarget): Promise<'done' | 'pending'> {
      const newOwner = await getNewOwner(deps, actor, target.newOwner)
      await blockQueries.requireUnblocked(read, actor.account.id, [newOwner.id])
      const teamIds = await requireTeams(deps, newOwner, target.teamIds ?? [])
      if (await findTransfer(deps, repo)) throw errors.transferPending()
      await requireNameFree(deps, repo, newOwner)
      await requireCapacity(deps, actor, newOwner)
      if (await ownerQueries.mayCreateFor(read, actor, newOwner)) {
        await retryOnUniqueViolation(deps.database, async (tx) => {
          await blockQueries.requireUnblocked(tx, actor.account.id, [newOwner.id])
          await requireBelowLimit(deps, tx, actor, newOwner)
          const current = await lockUnmoved(tx, repo)
          await requireNameFree(deps, current, newOwner, tx)
          await moveRepo(tx, deps, { repo: current, newOwner, teamIds, doerId: actor.account.id, actor })
        })
        return 'done'
      }
      await retryOnUniqueViolation(deps.database, (tx) => insertOffer(tx, deps, { actor, repo, newOwner, teamIds }))
      return 'pending'
    },

    /**
     * Throws NotFound if none is pending, Forbidden unless the actor is the recipient, Invalid if the recipient has a
     * repository with that name.
     */
    async accept(actor: SignedIn, repo: Repo): Promise<void> {
      const { transfer, recipient } = await requireRecipient(deps, actor, repo)
      await requireCapacity(deps, actor, recipient)
      await retryOnUniqueViolation(deps.database, async (tx) => {
        await requireBelowLimit(deps, tx, actor, recipient)
        if (!(await deleteTransfer(tx, repo.id))) throw nonePending(repo)
        await requireNameFree(deps, repo, recipient, tx)
        const current = await findRepoById(tx, repo.id)
        if (current === undefined) throw errors.repoNotFound()
        await moveRepo(tx, deps, {
          repo: current,
          newOwner: recipient,
          teamIds: transfer.teamIds,
          doerId: transfer.doerId,
          actor,
        })
      })
    },

    /** Throws the errors of `accept`. */
    async reject(actor: SignedIn, repo: Repo): Promise<void> {
      const { recipient } = await requireRecipient(deps, actor, repo)
      await deps.database.transaction(async (tx) => {
        if (!(await deleteTransfer(tx, repo.id))) throw nonePending(repo)
        await deps.events.append(
          tx,
          'repo.transfer_rejected',
          { actor, repoId: repo.id, at: deps.clock.now() },
          { repo_id: repo.id, recipient_id: recipient.id },
        )
      })
    },
  }
}

/** Locks the repository. Throws NotFound if it was deleted or transferred concurrently. */
async function lockUnmoved(tx: Tx, repo: Repo): Promise<Repo> {
  await lockRepo(tx, repo.id)
  const current = await findRepoById(tx, repo.id)
  if (current === undefined || current.ownerId !== repo.ownerId) throw errors.repoNotFound()
  return current
}

const nonePending = (repo: Repo): Error => errors.noPendingTransfer(repo.id)

/**
 * COMPAT: the owners of an organization may accept a private repository that they cannot see yet
 * (test/repositories/transfer.test.ts).
 */
async function findOfferedRepo(
  deps: TransferDeps,
  viewer: SignedIn,
  ownerName: string,
  name: string,
): Promise<Repo | undefined> {
  const { read } = deps.database
  const owner = await userQueries.findByName(read, ownerName)
  const repo = owner && (await findRepoByName(read, owner, name))
  const transfer = repo && (await findTransfer(deps, repo))
  const recipient = transfer && (await userQueries.findById(read, transfer.recipientId))
  return recipient && (await ownerQueries.ownsOrCreatesIn(read, viewer, recipient)) ? repo : undefined
}

async function findTransfer({ database }: TransferDeps, repo: Repo): Promise<Transfer | undefined> {
  return (await listTransfers(database.read, [repo.id]))[0]
}

async function getNewOwner({ database }: TransferDeps, actor: SignedIn, name: string): Promise<User> {
  const owner = name === '' ? undefined : await userQueries.findByName(database.read, name)
  if (owner === undefined || owner.kind === 'bot' || !(await ownerQueries.isInView(database.read, actor, owner)))
    throw notFound('The new owner does not exist or cannot be found')
  return owner
}

async function requireTeams({ database }: TransferDeps, owner: User, ids: readonly number[]): Promise<TeamId[]> {
  if (ids.length === 0) return []
  if (owner.kind !== 'organization') throw invalid('Teams can only be added to organization-owned repositories')
  const wanted = [...new Set(ids)].map((id) => asId<TeamId>(id))
  const teams = new Map((await teamQueries.listByIds(database.read, wanted)).map((team) => [team.id, team]))
  for (const id of wanted) {
    if (!teams.has(id)) throw invalid(`team ${id} not found`)
    if (teams.get(id)!.orgId !== owner.id) throw forbidden(`team ${id} belongs not to org ${owner.id}`)
  }
  return wanted
}

async function requireNameFree(
  { database }: TransferDeps,
  repo: Repo,
  owner: User,
  db: Database['read'] | Tx = database.read,
): Promise<void> {
  if (await findRepoByName(db, owner, repo.name)) throw repoNameTaken({ owner }, repo.name)
}

async function requireCapacity(deps: TransferDeps, actor: SignedIn, owner: User): Promise<void> {
  await requireBelowLimit(deps, deps.database.read, actor, owner)
  await deps.quota.require(owner, 'size:repos:all')
}

async function requireBelowLimit({ rules }: TransferDeps, db: Db, actor: SignedIn, owner: User): Promise<void> {
  if (!isSiteAdmin(actor) && (await repoLimitProblem(db, owner, rules.maxCreation)) !== undefined)
    throw forbidden('Repository limit has been reached')
}

interface OfferRows {
  readonly actor: SignedIn
  readonly repo: Repo
  readonly newOwner: User
  readonly teamIds: readonly TeamId[]
}

/**
 * Inserts a pending transfer. A recipient who could not see the repository becomes a collaborator with read access, and
 * remains one after rejecting the transfer.
 */
async function insertOffer(
  tx: Tx,
  { clock, events }: TransferDeps,
  { actor, repo, newOwner, teamIds }: OfferRows,
): Promise<void> {
  const at = clock.now()
  const doerId = actor.account.id
  await blockQueries.requireUnblocked(tx, doerId, [newOwner.id])
  await lockUnmoved(tx, repo)
  if ((await listTransfers(tx, [repo.id])).length > 0) throw errors.transferPending()
  await insertTransfer(tx, {
    repo_id: repo.id,
    doer_id: doerId,
    recipient_id: newOwner.id,
    team_ids: JSON.stringify(teamIds),
    created_at: at,
  })
  if (
    newOwner.kind === 'individual' &&
    !canSeeRepo(await loadRepoAccess(tx, viewerOfAccount(newOwner), repo)) &&
    (await findCollaborationMode(tx, repo.id, newOwner.id)) === AccessMode.none
  ) {
    await upsertCollaboration(tx, repo.id, newOwner.id, { mode: AccessMode.read, at })
    await events.append(
      tx,
      'repo.collaborator_added',
      { actor, repoId: repo.id, at },
      { repo_id: repo.id, user_id: newOwner.id, mode: AccessMode.read },
    )
  }
  await events.append(
    tx,
    'repo.transfer_started',
    { actor, repoId: repo.id, at },
    { repo_id: repo.id, recipient_id: newOwner.id },
  )
}

async function requireRecipient(
  deps: TransferDeps,
  actor: SignedIn,
  repo: Repo,
): Promise<{ transfer: Transfer; recipient: User }> {
  const transfer = await findTransfer(deps, repo)
  const recipient = transfer && (await userQueries.findById(deps.database.read, transfer.recipientId))
  if (!transfer || !recipient) throw nonePending(repo)
  const { id } = actor.account
  if (id === transfer.doerId || !(await ownerQueries.ownsOrCreatesIn(deps.database.read, actor, recipient)))
    throw forbidden('permission denied')
  return { transfer, recipient }
}

interface RepoMove {
  readonly repo: Repo
  readonly newOwner: User
  readonly teamIds: readonly TeamId[]
  /** The user who started the transfer; it watches the repository afterwards. */
  readonly doerId: UserId
  /** The actor of this step: the doer, or the recipient who accepts. */
  readonly actor: Actor
}

interface MoveDeps extends Pick<Core, 'clock' | 'events'> {
  readonly rules: { readonly autoWatch: boolean }
}

/**
 * Changes the owner of a repository to one that has no repository of its name. The old path redirects to the new one;
 * the teams of the old organization lose the repository and the named teams of the new one get it. Files are not moved.
 */
async function moveRepo(
  tx: Tx,
  { clock, events, rules }: MoveDeps,
  { repo, newOwner, teamIds, doerId, actor }: RepoMove,
): Promise<void> {
  const at = clock.now()
  await deleteTransfer(tx, repo.id)
  await setRepoOwner(tx, repo.id, { from: repo.ownerId, to: newOwner.id, name: repo.name })
  await teamQueries.deleteReposOf(tx, repo.ownerId, repo.id)
  await deleteCollaborationsOf(tx, repo.id, newOwner)
  const teams = (await teamQueries.listByIds(tx, teamIds)).filter((team) => team.orgId === newOwner.id)
  for (const team of teams) if (!team.includesAllRepositories) await teamQueries.insertRepo(tx, team, repo.id)
  if (rules.autoWatch)
    await watchMoved(tx, { repo, newOwner, teamIds: teams.map((team) => team.id), doerId, actor }, at)
  await events.append(
    tx,
    'repo.transferred',
    { actor: actor.account.id === doerId ? actor : actorOf(doerId), principal: actor, repoId: repo.id, at },
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
