import type { Viewer } from '../../../../core/access/viewer.ts'
import { visibleRepos } from '../../../../core/access/visible-repos.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { rememberPage } from '../../../../core/db/page.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type Repo, addToRepoCounter, reposInOrder } from '../../repos/repo.store.ts'
import { type User, usersInOrder } from '../../../accounts/index.ts'
import type { WatchTable } from '../social.table.ts'

export type WatchMode = WatchTable['mode']

export async function findWatchMode(db: Db, userId: UserId, repoId: RepoId): Promise<WatchMode | undefined> {
  const row = await db
    .selectFrom('watch')
    .select('mode')
    .where('user_id', '=', userId)
    .where('repo_id', '=', repoId)
    .executeTakeFirst()
  return row?.mode
}

/**
 * Sets the mode and updates the repository's counter of watchers. NOTE: the statement that locks the row returns the
 * mode before: another transaction may change it between a read and a write.
 */
export async function putWatch(
  tx: Tx,
  userId: UserId,
  repoId: RepoId,
  { mode, at }: { mode: WatchMode; at: number },
): Promise<void> {
  if ((await findWatchMode(tx, userId, repoId)) === mode) return
  const before = await lockWatch(tx, { userId, repoId, at })
  if (before === mode) return
  await tx.updateTable('watch').set({ mode }).where('user_id', '=', userId).where('repo_id', '=', repoId).execute()
  await addWatchers(tx, repoId, watches(mode) - watches(before))
}

/** Inserts the row, which does not count as watching yet, or locks the existing one; returns its mode. */
async function lockWatch(
  tx: Tx,
  { userId, repoId, at }: { userId: UserId; repoId: RepoId; at: number },
): Promise<WatchMode> {
  const inserted = await tx
    .insertInto('watch')
    .values({ user_id: userId, repo_id: repoId, mode: 'ignored', created_at: at })
    .onConflict((conflict) => conflict.columns(['user_id', 'repo_id']).doNothing())
    .returning('mode')
    .executeTakeFirst()
  if (inserted !== undefined) return inserted.mode
  const locked = await tx
    .updateTable('watch')
    .set({ user_id: userId })
    .where('user_id', '=', userId)
    .where('repo_id', '=', repoId)
    .returning('mode')
    .executeTakeFirst()
  return locked?.mode ?? lockWatch(tx, { userId, repoId, at })
}

/** False when the user did not watch. */
export async function deleteWatch(tx: Tx, userId: UserId, repoId: RepoId): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('watch')
    .where('user_id', '=', userId)
    .where('repo_id', '=', repoId)
    .returning('mode')
    .executeTakeFirst()
  if (deleted === undefined) return false
  await addWatchers(tx, repoId, -watches(deleted.mode))
  return watches(deleted.mode) === 1
}

const watches = (mode: WatchMode | undefined): number => (mode === undefined || mode === 'ignored' ? 0 : 1)

async function addWatchers(tx: Tx, repoId: RepoId, change: number): Promise<void> {
  if (change !== 0) await addToRepoCounter(tx, repoId, 'watchers_count', change)
}

/** Users who watch the repository, in the order of their watches. */
export function listWatchers(db: Db, repoId: RepoId, paging: Paging): Promise<Page<User>> {
  const watchers = db.selectFrom('watch').where('watch.repo_id', '=', repoId).where('watch.mode', '!=', 'ignored')
  return rememberPage(db, watchers.select('watch.user_id').orderBy('watch.created_at').orderBy('watch.user_id'), {
    paging,
    load: (rows) =>
      usersInOrder(
        db,
        rows.map((row) => asId(row.user_id)),
      ),
  })
}

/** Repositories that the user watches and the viewer may see, by id. `publicOnly` leaves private ones out even then. */
export function listWatchedRepos(
  db: Db,
  userId: UserId,
  viewer: Viewer,
  { publicOnly, paging }: { publicOnly: boolean; paging: Paging },
): Promise<Page<Repo>> {
  let query = db
    .selectFrom('watch')
    .crossJoin('repo') // NOTE: makes SQLite read the watches first, not all public repositories.
    .whereRef('repo.id', '=', 'watch.repo_id')
    .where('watch.user_id', '=', userId)
    .where('watch.mode', '!=', 'ignored')
    .where((eb) => visibleRepos(viewer)(eb))
  if (publicOnly) query = query.where('repo.is_private', '=', 0)
  const ids = query.select('watch.repo_id').orderBy('watch.repo_id')
  return rememberPage(db, ids, {
    paging,
    load: (rows) =>
      reposInOrder(
        db,
        rows.map((row) => asId(row.repo_id)),
      ),
  })
}
