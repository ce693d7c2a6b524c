import { canSeeRepo } from '../../../access/repo-access.ts'
import { viewerOfAccount } from '../../../access/viewer.ts'
import type { Tx } from '../../../db/database.ts'
import { loadRepoAccesses } from '../../repos/index.ts'
import type { User } from '../../users/index.ts'
import { deleteWatches, listWatchedOf } from './watch-cleanup.store.ts'

/** Deletes the watches of the user on those repositories of the owner that it may not see. */
export async function deleteHiddenWatches(tx: Tx, owner: Pick<User, 'id'>, user: User): Promise<void> {
  const watched = await listWatchedOf(tx, user.id, owner.id)
  const accesses = await loadRepoAccesses(tx, viewerOfAccount(user), watched)
  const hidden = watched.filter((repo) => !canSeeRepo(accesses.get(repo.id)!))
  await deleteWatches(
    tx,
    user.id,
    hidden.map((repo) => repo.id),
  )
}
