import { sql } from 'kysely'
import type { Tx, Db } from '../../../core/db/database.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { deleteWatches } from './watches/watches.store.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { visibleRepos } from '../../../core/access/visible-repos.ts'
import { cachedPage } from '../../../core/db/page.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type Repo, addToRepoCounter, reposInOrder } from '../repos/repo.store.ts'
import { type User, userQueries, userRows } from '../../accounts/index.ts'

export async function isStarred(db: Db, userId: UserId, repoId: RepoId): Promise<boolean> {
  const row = await db
    .selectFrom('star')
    .select('repo_id')
    .where('user_id', '=', userId)
    .where('repo_id', '=', repoId)
    .executeTakeFirst()
  return row !== undefined
}

/** False if it was starred already. Updates the counters of the user and the repository. */
export async function insertStar(tx: Tx, userId: UserId, repoId: RepoId, at: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('star')
    .values({ user_id: userId, repo_id: repoId, created_at: at })
    .onConflict((conflict) => conflict.columns(['user_id', 'repo_id']).doNothing())
    .executeTakeFirst()
  if (!numInsertedOrUpdatedRows) return false
  await countStars(tx, userId, repoId, 1)
  return true
}

/** False if there was no star. */
export async function deleteStar(tx: Tx, userId: UserId, repoId: RepoId): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('star')
    .where('user_id', '=', userId)
    .where('repo_id', '=', repoId)
    .executeTakeFirst()
  if (!numDeletedRows) return false
  await countStars(tx, userId, repoId, -1)
  return true
}

const CHUNK = 500

/** Deletes every star of a repository and updates the counters. */
export async function deleteStarsOf(tx: Tx, repoId: RepoId): Promise<void> {
  const rows = await tx.deleteFrom('star').where('repo_id', '=', repoId).returning('user_id').execute()
  const userIds = rows.map((row) => asId<UserId>(row.user_id)).toSorted((a, b) => a - b)
  for (let from = 0; from < userIds.length; from += CHUNK)
    await userQueries.addToCounter(tx, userIds.slice(from, from + CHUNK), 'stars_count', -1)
  if (userIds.length > 0) await addToRepoCounter(tx, repoId, 'stars_count', -userIds.length)
}

async function countStars(tx: Tx, userId: UserId, repoId: RepoId, change: 1 | -1): Promise<void> {
  await userQueries.addToCounter(tx, userId, 'stars_count', change)
  await addToRepoCounter(tx, repoId, 'stars_count', change)
}

/** Users who starred the repository, in the order of their stars. */
export function listStargazers(db: Db, repoId: RepoId, paging: Paging): Promise<Page<User>> {
  const stars = db.selectFrom('star').where('star.repo_id', '=', repoId)
  return cachedPage(db, stars.select('star.user_id').orderBy('star.created_at').orderBy('star.user_id'), {
    paging,
    load: (rows) =>
      userRows.inOrder(
        db,
        rows.map((row) => asId(row.user_id)),
      ),
  })
}

/**
 * Repositories that the user starred and the viewer may see, by id. `publicOnly` omits private ones even if they are
 * visible.
 */
export function listStarredRepos(
  db: Db,
  userId: UserId,
  viewer: Viewer,
  { publicOnly, paging }: { publicOnly: boolean; paging: Paging },
): Promise<Page<Repo>> {
  // NOTE: the cross join makes SQLite read the stars first, not all public repositories.
  const query = db
    .selectFrom('star')
    .crossJoin('repo')
    .whereRef('repo.id', '=', 'star.repo_id')
    .where('star.user_id', '=', userId)
    .where((eb) => visibleRepos(viewer)(eb))
    .$if(publicOnly, (query) => query.where('repo.is_private', '=', 0))
    .select('star.repo_id')
    .orderBy('star.repo_id')
  return cachedPage(db, query, {
    paging,
    load: (rows) =>
      reposInOrder(
        db,
        rows.map((row) => asId(row.repo_id)),
      ),
  })
}

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

/** The counters of users, each with the query that counts it for the row `counted`. */
export const starCountersOfUsers = {
  stars_count: sql`select count(*) from star where user_id = counted.id`,
}
