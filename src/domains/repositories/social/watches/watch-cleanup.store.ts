import type { Db, Tx } from '../../../../core/db/database.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { type Repo, addToRepoCounter, listReposAmong } from '../../repos/repo.store.ts'

/** The repositories of an owner that a user watches, including those that it may not see. */
export const listWatchedOf = (db: Db, userId: UserId, ownerId: UserId): Promise<Repo[]> =>
  listReposAmong(db, ownerId, db.selectFrom('watch').select('repo_id').where('user_id', '=', userId))

export async function deleteWatches(tx: Tx, userId: UserId, repoIds: readonly RepoId[]): Promise<void> {
  if (repoIds.length === 0) return
  const counted = await tx
    .selectFrom('watch')
    .select('repo_id')
    .where('user_id', '=', userId)
    .where('repo_id', 'in', repoIds)
    .where('mode', '!=', 'ignored')
    .execute()
  const ids = counted.map((row) => asId<RepoId>(row.repo_id))
  if (ids.length > 0) await addToRepoCounter(tx, ids, 'watchers_count', -1)
  await tx.deleteFrom('watch').where('user_id', '=', userId).where('repo_id', 'in', repoIds).execute()
}
