import type { SignedIn } from '../../access/viewer.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../events/index.ts'
import { enqueue } from '../../jobs/index.ts'
import { notFound } from '../../platform/errors.ts'
import type { RepoId, UserId } from '../../platform/ids.ts'
import type { ChangeRepoDeps } from './creation/deps.ts'
import { releaseRepo } from './repo-removal.store.ts'
import { deleteRepo, findRepoById, type Repo } from './repo.store.ts'

/**
 * Deletes a repository and everything that hangs on it; its files go by a job that is kept with the deletion. Throws
 * NotFound.
 */
export async function removeRepo({ database, clock }: ChangeRepoDeps, viewer: SignedIn, { id }: Repo): Promise<void> {
  await database.transaction((tx) => removeRepoRows(tx, { actorId: viewer.account.id, at: clock.now() }, id))
}

/** Throws NotFound. */
export async function removeRepoRows(tx: Tx, origin: { actorId: number; at: number }, id: RepoId): Promise<void> {
  const repo = await findRepoById(tx, id)
  if (repo === undefined) throw notFound('repository does not exist')
  await announceRemoval(tx, origin, repo)
  await releaseRepo(tx, id)
  await deleteRepo(tx, id)
}

type Removed = { readonly id: RepoId; readonly name: string; readonly ownerId: UserId; readonly storage: string }

/** The event and the removal of the files, for whoever deletes rows of repositories. */
export async function announceRemoval(
  tx: Tx,
  { actorId, at }: { actorId: number; at: number },
  { id, name, ownerId, storage }: Removed,
): Promise<void> {
  await appendEvent(tx, 'repo.deleted', { actorId, repoId: id, at }, { repo_id: id, name, owner_id: ownerId, storage })
  await enqueue(tx, 'repo.remove', { storage }, { now: at, key: storage })
}
