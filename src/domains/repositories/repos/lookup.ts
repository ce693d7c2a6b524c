import { type RepoDecision, type RepoTarget, reachesRepo } from '../../../core/access/authorize.ts'
import {
  canSeeRepo,
  decideRepoAccess,
  needsGrants,
  NO_GRANTS,
  type RepoAccess,
  type RepoGrants,
  unitMode,
  AccessMode,
} from '../../../core/access/repo-access.ts'
import { loadRepoGrants } from '../../../core/access/repo-grants.store.ts'
import { type Viewer, viewerOfAccount, type SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { MovedError, engineErrors } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { type User, userQueries, ownerQueries } from '../../accounts/index.ts'
import {
  findByOwnerAndName,
  findRenamedRepoId,
  findRepoById,
  findRepoByName,
  type Repo,
  listReposByIds,
} from './repo.store.ts'
import { listMirrors, type Mirror } from './records/records.store.ts'
import { listPendingTransfers } from './repo-view.store.ts'

export interface RepoInView {
  readonly repo: Repo
  readonly access: RepoAccess
}

/** The name of a repository in a request. */
export type RepoName = { readonly owner: string; readonly name: string } | { readonly id: RepoId }

/**
 * Finds the repository with a name, with the access of the viewer, from whom it may be hidden. With `follow` a former
 * name finds the repository itself; without it the result is `moved` if the viewer may see the repository with the new
 * name.
 */
export async function findRepoTarget(
  db: Db,
  viewer: Viewer,
  name: RepoName,
  { follow = false }: { readonly follow?: boolean } = {},
): Promise<RepoTarget<Repo>> {
  if ('id' in name || follow) {
    const repo = 'id' in name ? await findRepoById(db, name.id) : await findRepoByAnyName(db, name.owner, name.name)
    return targetOf(db, viewer, repo)
  }
  const { owner, repo } = await findByOwnerAndName(db, name)
  if (owner === undefined) return movedOr(await ownerQueries.findMoved(db, viewer, name.owner))
  return repo === undefined ? movedOr(await movedRepo(db, viewer, owner, name.name)) : targetOf(db, viewer, repo)
}

async function targetOf(db: Db, viewer: Viewer, repo: Repo | undefined): Promise<RepoTarget<Repo>> {
  return repo === undefined ? MISSING : { kind: 'found', repo, access: await loadRepoAccess(db, viewer, repo) }
}

const MISSING = { kind: 'missing' } as const
const movedOr = (error: MovedError | undefined): RepoTarget<Repo> =>
  error === undefined ? MISSING : { kind: 'moved', error }

/** The repository in the view of the viewer. Throws NotFound if it is missing or hidden, Moved if it was renamed. */
export const getRepoInView = async (db: Db, viewer: Viewer, owner: string, name: string): Promise<RepoInView> =>
  requireFound(await findRepoTarget(db, viewer, { owner, name }))

/** Like `getRepoInView`. */
export const getRepoInViewById = async (db: Db, viewer: Viewer, id: RepoId): Promise<RepoInView> =>
  requireFound(await findRepoTarget(db, viewer, { id }))

function requireFound(target: RepoTarget<Repo>): RepoInView {
  if (target.kind === 'moved') throw target.error
  if (target.kind === 'missing' || !canSeeRepo(target.access)) throw errors.repoNotFound()
  return { repo: target.repo, access: target.access }
}

/**
 * For clients that get the same response for missing and refused repositories. Throws Moved, and NotFound for every
 * refusal.
 */
export function requireVisible(decision: RepoDecision<Repo>): RepoInView {
  if (decision.kind === 'moved') throw decision.error
  if (decision.kind !== 'allowed') throw errors.repoNotFound()
  return decision
}

/** Finds the repository by its name or a former name; callers must check whether the viewer may see it. */
export async function findRepoByAnyName(db: Db, ownerName: string, repoName: string): Promise<Repo | undefined> {
  const renamedOwner = async (): Promise<User | undefined> => {
    const id = await userQueries.findRenamedId(db, ownerName)
    return id === undefined ? undefined : userQueries.findById(db, id)
  }
  const owner = (await userQueries.findByName(db, ownerName)) ?? (await renamedOwner())
  if (owner === undefined) return undefined
  const found = await findRepoByName(db, owner, repoName)
  if (found !== undefined) return found
  const id = await findRenamedRepoId(db, owner.id, repoName)
  return id === undefined ? undefined : findRepoById(db, id)
}

/** The access of the viewer to a loaded repository. */
export async function loadRepoAccess(db: Db, viewer: Viewer, repo: Repo): Promise<RepoAccess> {
  return decideRepoAccess(viewer, repo, (await loadGrantsFor(db, viewer, [repo])).get(repo.id) ?? NO_GRANTS)
}

/** Like `loadRepoAccess` for a page of repositories, with the same few queries for any number of them. */
export async function loadRepoAccesses(
  db: Db,
  viewer: Viewer,
  repos: readonly Repo[],
): Promise<Map<Repo['id'], RepoAccess>> {
  const grants = await loadGrantsFor(db, viewer, repos)
  return new Map(repos.map((repo) => [repo.id, decideRepoAccess(viewer, repo, grants.get(repo.id) ?? NO_GRANTS)]))
}

/** The ids of the repositories that the user may not see. */
export async function hiddenFrom(db: Db, user: User, repos: readonly Repo[]): Promise<RepoId[]> {
  const accesses = await loadRepoAccesses(db, viewerOfAccount(user), repos)
  return repos.filter((repo) => !canSeeRepo(accesses.get(repo.id)!)).map((repo) => repo.id)
}

async function loadGrantsFor(
  db: Db,
  viewer: Viewer,
  repos: readonly Repo[],
): Promise<ReadonlyMap<Repo['id'], RepoGrants>> {
  if (viewer.kind === 'anonymous') return new Map()
  return loadRepoGrants(
    db,
    viewer.account.id,
    repos.filter((repo) => needsGrants(viewer, repo)),
  )
}

/** The error with the current name of a renamed repository; undefined if the viewer may not see it. */
async function movedRepo(db: Db, viewer: Viewer, owner: User, name: string): Promise<MovedError | undefined> {
  const id = await findRenamedRepoId(db, owner.id, name)
  const repo = id === undefined ? undefined : await findRepoById(db, id)
  if (repo === undefined || !canSeeRepo(await loadRepoAccess(db, viewer, repo))) return undefined
  return new MovedError('repo', `${owner.name}/${name}`, repo.fullName)
}

/**
 * The repository that a request has just created and committed. Throws NotFound if another request has already deleted
 * it.
 */
export async function getCreatedRepo(db: Db, id: RepoId): Promise<Repo> {
  const repo = await findRepoById(db, id)
  if (repo === undefined) throw errors.repoDeleted()
  return repo
}

/**
 * Reloads the actor, the repository and the access, for a change that has waited for a lock. Throws Unauthenticated if
 * the account or the token is no longer usable, NotFound if the repository is hidden, Locked if it is archived.
 */
export async function renewAccess(
  db: Db,
  actor: SignedIn,
  { id }: Pick<Repo, 'id'>,
): Promise<RepoInView & { readonly actor: SignedIn }> {
  const [renewed, repo] = [await userQueries.reloadActing(db, actor), await findRepoById(db, id)]
  if (renewed === undefined) throw engineErrors.tokenRequired()
  const access = repo && (await loadRepoAccess(db, renewed, repo))
  if (repo === undefined || access === undefined || !canSeeRepo(access) || !reachesRepo(renewed, repo))
    throw errors.repoNotFound()
  if (repo.isArchived) throw errors.repoArchived(repo.fullName)
  return { actor: renewed, repo, access }
}

/** An account with write access to the code of a repository, and its access. */
export interface Writer {
  readonly viewer: SignedIn
  readonly access: RepoAccess
}

/** Undefined if the account has no write access to the code. */
export async function findWriter(db: Db, viewer: SignedIn, repo: Repo): Promise<Writer | undefined> {
  const access = await loadRepoAccess(db, viewer, repo)
  return unitMode(access, 'repo.code') >= AccessMode.write ? { viewer, access } : undefined
}

/** The data of a Repository model for one viewer. */
export interface RepoView {
  readonly repo: Repo
  readonly access: RepoAccess
  /** The repository that this one was forked from, if the viewer may see it. */
  readonly parent: Repo | undefined
  readonly transfer: { readonly doer: User; readonly recipient: User } | undefined
  readonly mirror: Mirror | undefined
}

/**
 * Loads views in the given order, with a fixed number of queries. `decided` contains accesses that are already known.
 */
export async function loadRepoViews(
  db: Db,
  viewer: Viewer,
  repos: readonly Repo[],
  decided: ReadonlyMap<RepoId, RepoAccess> = new Map(),
): Promise<RepoView[]> {
  if (repos.length === 0) return []
  const parentIds = repos.flatMap((repo) => repo.forkId ?? [])
  const parents = new Map((await listReposByIds(db, parentIds)).map((parent) => [parent.id, parent]))
  const undecided = [...repos.filter((repo) => !decided.has(repo.id)), ...parents.values()]
  const [accesses, transfers, mirrors] = await Promise.all([
    undecided.length === 0 ? new Map<RepoId, RepoAccess>() : loadRepoAccesses(db, viewer, undecided),
    loadTransfers(db, repos),
    listMirrors(
      db,
      repos.filter((repo) => repo.isMirror).map((repo) => repo.id),
    ),
  ])
  const mirrorOf = new Map(mirrors.map((mirror) => [mirror.repoId, mirror]))
  return repos.map((repo) => {
    const parent = repo.forkId === undefined ? undefined : parents.get(repo.forkId)
    const parentAccess = parent && accesses.get(parent.id)
    return {
      repo,
      access: decided.get(repo.id) ?? accesses.get(repo.id)!,
      parent: parentAccess && canSeeRepo(parentAccess) ? parent : undefined,
      transfer: transfers.get(repo.id),
      mirror: mirrorOf.get(repo.id),
    }
  })
}

async function loadTransfers(db: Db, repos: readonly Repo[]): Promise<Map<RepoId, NonNullable<RepoView['transfer']>>> {
  const transfers = await listPendingTransfers(
    db,
    repos.map((repo) => repo.id),
  )
  if (transfers.length === 0) return new Map()
  const people = await userQueries.listByIds(
    db,
    transfers.flatMap((transfer) => [transfer.doerId, transfer.recipientId]),
  )
  const byId = new Map(people.map((user) => [user.id, user]))
  return new Map(
    transfers.map(({ repoId, doerId, recipientId }) => [
      repoId,
      { doer: byId.get(doerId)!, recipient: byId.get(recipientId)! },
    ]),
  )
}
