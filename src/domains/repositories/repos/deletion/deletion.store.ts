import { sql } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../../core/db/database.ts'
import { deleteInSteps } from '../../../../core/db/delete-in-steps.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'

export interface OwnedRepo {
  readonly id: RepoId
  readonly name: string
  readonly storage: string
}

/** The repositories of a user or organization, with the columns that deletion needs. */
export async function listOwnedRepos(db: Db, ownerId: UserId): Promise<OwnedRepo[]> {
  const rows = await db
    .selectFrom('repo')
    .select(['id', 'name', 'storage'])
    .where('owner_id', '=', ownerId)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, id: asId(row.id) }))
}

/** Locks the repositories of an owner that the transaction deletes, so that no new row refers to them. */
export async function lockOwnedRepos(tx: Tx, ownerId: UserId): Promise<void> {
  await dialectOf(tx)
    .lockToDelete(tx.selectFrom('repo').select('id').where('owner_id', '=', ownerId).orderBy('id'))
    .execute()
}

/**
 * Prepares the deletion of the repositories of an owner: decrements the counters of their parents and detaches their
 * forks.
 */
export async function detachForksOf(tx: Tx, ownerId: UserId): Promise<void> {
  await sql`update repo set forks_count = forks_count - (select count(*) from repo as fork where fork.fork_id = repo.id and fork.owner_id = ${ownerId})
    where id in (select fork_id from repo where owner_id = ${ownerId} and fork_id <> 0)`.execute(tx)
  await tx
    .updateTable('repo')
    .set({ fork_id: 0, is_fork: 0 })
    .where('fork_id', 'in', (eb) =>
      eb.selectFrom('repo as parent').select('parent.id').where('parent.owner_id', '=', ownerId),
    )
    .execute()
}

/** The stars on a repository, one row each. */
export const starsOnRepo = (db: Db, repoId: RepoId) =>
  db.selectFrom('star').select('user_id').where('repo_id', '=', repoId)

/** The stars on all repositories of an account, one row each. */
export const starsOnReposOf = (db: Db, ownerId: UserId) =>
  db
    .selectFrom('star')
    .innerJoin('repo', 'repo.id', 'star.repo_id')
    .select('star.user_id')
    .where('repo.owner_id', '=', ownerId)

/** Subtracts the stars and watches of a user from the counters of repositories. */
export async function subtractStarsAndWatchesOf(tx: Tx, userId: UserId): Promise<void> {
  await tx
    .updateTable('repo')
    .set((eb) => ({ stars_count: eb('stars_count', '-', 1) }))
    .where('id', 'in', (eb) => eb.selectFrom('star').select('repo_id').where('user_id', '=', userId))
    .execute()
  await tx
    .updateTable('repo')
    .set((eb) => ({ watchers_count: eb('watchers_count', '-', 1) }))
    .where('id', 'in', (eb) =>
      eb.selectFrom('watch').select('repo_id').where('user_id', '=', userId).where('mode', '!=', 'ignored'),
    )
    .execute()
}

/** Deletes the rows of an owner's repositories; foreign keys delete the rows that refer to them. */
export async function deleteOwnedRepos(tx: Tx, ownerId: UserId): Promise<void> {
  const rows = await tx.selectFrom('repo').select('id').where('owner_id', '=', ownerId).execute()
  await deleteInSteps(
    tx,
    'repo',
    rows.map((row) => row.id),
  )
}

/** Locks a repository that the transaction deletes, so that no new row refers to it. */
export async function lockRepoToDelete(tx: Tx, id: RepoId): Promise<void> {
  await dialectOf(tx)
    .lockToDelete(tx.selectFrom('repo').select('id').where('id', '=', id))
    .execute()
}

/** Prepares the deletion of a repository: decrements the counter of its parent and detaches its forks. */
export async function detachForks(tx: Tx, id: RepoId): Promise<void> {
  await tx
    .updateTable('repo')
    .set((eb) => ({ forks_count: eb('forks_count', '-', 1) }))
    .where('forks_count', '>', 0)
    .where('id', '=', (eb) => eb.selectFrom('repo as deleted').select('deleted.fork_id').where('deleted.id', '=', id))
    .execute()
  await tx.updateTable('repo').set({ fork_id: 0, is_fork: 0 }).where('fork_id', '=', id).execute()
}

/** Selects, of the given storage keys, those that repositories use. */
export async function listUsedStorages(db: Db, storages: readonly string[]): Promise<Set<string>> {
  if (storages.length === 0) return new Set()
  const rows = await db.selectFrom('repo').select('storage').where('storage', 'in', storages).execute()
  return new Set(rows.map((row) => row.storage))
}
