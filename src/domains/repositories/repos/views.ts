import { canSeeRepo, type RepoAccess } from '../../../core/access/repo-access.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { type User, listUsersByIds } from '../../accounts/index.ts'
import { loadRepoAccesses } from './lookup.ts'
import { listMirrors, type Mirror } from './records/records.store.ts'
import { listPendingTransfers } from './repo-view.store.ts'
import { listReposByIds, type Repo } from './repo.store.ts'

/** Everything a Repository model contains, for one viewer. */
export interface RepoView {
  readonly repo: Repo
  readonly access: RepoAccess
  /** The repository this one was forked from, when the viewer may see it. */
  readonly parent: Repo | undefined
  readonly transfer: { readonly doer: User; readonly recipient: User } | undefined
  readonly mirror: Mirror | undefined
}

/** Views in the order given, with a fixed number of queries. `decided` has accesses that were decided before. */
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
  const people = await listUsersByIds(
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
