import type { Tx } from '../../../core/db/database.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { deleteStar, deleteStarsOf } from './star.store.ts'
import { deleteWatches } from './watches/watch-cleanup.store.ts'

/** Deletes the stars and watches of a user on the repositories of an owner. */
export async function deleteStarsAndWatchesOn(tx: Tx, userId: UserId, ownerId: UserId): Promise<void> {
  const starred = await tx
    .selectFrom('star')
    .innerJoin('repo', 'repo.id', 'star.repo_id')
    .select('repo.id')
    .where('star.user_id', '=', userId)
    .where('repo.owner_id', '=', ownerId)
    .orderBy('repo.id')
    .execute()
  for (const { id } of starred) await deleteStar(tx, userId, asId(id))
  const watched = await tx
    .selectFrom('watch')
    .innerJoin('repo', 'repo.id', 'watch.repo_id')
    .select('repo.id')
    .where('watch.user_id', '=', userId)
    .where('repo.owner_id', '=', ownerId)
    .orderBy('repo.id')
    .execute()
  await deleteWatches(
    tx,
    userId,
    watched.map((row) => asId<RepoId>(row.id)),
  )
}

/** Deletes every star on the repositories of an owner. */
export async function deleteStarsOfOwner(tx: Tx, ownerId: UserId): Promise<void> {
  const starred = await tx
    .selectFrom('star')
    .innerJoin('repo', 'repo.id', 'star.repo_id')
    .select('repo.id')
    .distinct()
    .where('repo.owner_id', '=', ownerId)
    .orderBy('repo.id')
    .execute()
  for (const { id } of starred) await deleteStarsOf(tx, asId(id))
}
