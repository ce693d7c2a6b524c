import { sql } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { repoQueries } from '../../repositories/index.ts'

export interface LfsObject {
  /** SHA-256, hex. */
  readonly oid: string
  /** Bytes. */
  readonly size: number
}

/** The objects that the repository has, by id. */
export async function mapLfsObjects(db: Db, repoId: RepoId, oids: readonly string[]): Promise<Map<string, LfsObject>> {
  if (oids.length === 0) return new Map()
  const rows = await db
    .selectFrom('lfs_link')
    .select(['oid', 'size'])
    .where('repo_id', '=', repoId)
    .where('oid', 'in', oids)
    .execute()
  return new Map(rows.map((row) => [row.oid, row]))
}

/** The other repositories that have these objects, at most `limit` rows, newest links first. */
export async function listLfsHolders(
  db: Db,
  repoId: RepoId,
  oids: readonly string[],
  limit: number,
): Promise<{ oid: string; repoId: RepoId; size: number }[]> {
  if (oids.length === 0) return []
  const rows = await db
    .selectFrom('lfs_link')
    .select(['oid', 'repo_id', 'size'])
    .where('oid', 'in', oids)
    .where('repo_id', '!=', repoId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ oid, repo_id, size }) => ({ oid, repoId: asId(repo_id), size }))
}

export async function isLfsObjectLinked(db: Db, oid: string): Promise<boolean> {
  return (await db.selectFrom('lfs_link').select('id').where('oid', '=', oid).limit(1).executeTakeFirst()) !== undefined
}

/** Links an object to the repository and adds its size; does nothing if the repository has the object. */
export async function insertLfsLink(tx: Tx, repoId: RepoId, { oid, size }: LfsObject, at: number): Promise<void> {
  const values = { repo_id: repoId, oid, size, created_at: at }
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('lfs_link')
    .values(values)
    .onConflict((conflict) => conflict.columns(['repo_id', 'oid']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows) await repoQueries.addToCounter(tx, repoId, 'lfs_size', size)
}

export interface LfsLink extends LfsObject {
  readonly id: number
  /** Epoch milliseconds. */
  readonly linkedAt: number
}

/** The links of a repository with ids after `after` (0: all), oldest first. */
export async function listLfsLinks(db: Db, repoId: RepoId, after: number, limit: number): Promise<LfsLink[]> {
  return db
    .selectFrom('lfs_link')
    .select(['id', 'oid', 'size', 'created_at as linkedAt'])
    .where('repo_id', '=', repoId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

const CHUNK = 100

/** Links objects to a repository that has none. */
export async function insertFirstLfsLinks(
  tx: Tx,
  repoId: RepoId,
  objects: readonly LfsObject[],
  at: number,
): Promise<void> {
  for (let start = 0; start < objects.length; start += CHUNK) {
    const rows = objects
      .slice(start, start + CHUNK)
      .map(({ oid, size }) => ({ repo_id: repoId, oid, size, created_at: at }))
    await tx.insertInto('lfs_link').values(rows).execute()
  }
  const bytes = objects.reduce((sum, { size }) => sum + size, 0)
  if (objects.length > 0) await repoQueries.setLfsSize(tx, repoId, bytes)
}

/** Links all large files of a repository to its new copy, which must have none. */
export async function copyLfsLinks(tx: Tx, from: RepoId, to: RepoId, at: number): Promise<void> {
  await tx
    .insertInto('lfs_link')
    .columns(['repo_id', 'oid', 'size', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('lfs_link')
        .select((row) => [
          row.cast<number>(row.val(to), 'bigint').as('repo_id'),
          'oid',
          'size',
          row.cast<number>(row.val(at), 'bigint').as('created_at'),
        ])
        .where('repo_id', '=', from),
    )
    .execute()
  const { bytes } = await tx
    .selectFrom('lfs_link')
    .select(sql<number>`cast(coalesce(sum(size), 0) as bigint)`.as('bytes'))
    .where('repo_id', '=', to)
    .executeTakeFirstOrThrow()
  await repoQueries.setLfsSize(tx, to, bytes)
}

export interface LfsLock {
  readonly id: number
  readonly path: string
  readonly ownerId: UserId
  readonly ownerName: string
  /** Epoch milliseconds. */
  readonly lockedAt: number
}

export interface LfsLockFilter {
  readonly id?: number | undefined
  readonly path?: string | undefined
  /** Only locks with a greater id. */
  readonly after?: number | undefined
}

/** Locks ordered by id. */
export async function listLfsLocks(
  db: Db,
  repoId: RepoId,
  { id, path, after }: LfsLockFilter,
  limit: number,
): Promise<LfsLock[]> {
  const rows = await db
    .selectFrom('lfs_lock')
    .innerJoin('user', 'user.id', 'lfs_lock.owner_id')
    .select(['lfs_lock.id', 'lfs_lock.path', 'lfs_lock.owner_id', 'lfs_lock.created_at', 'user.name'])
    .where('lfs_lock.repo_id', '=', repoId)
    .$if(id !== undefined, (query) => query.where('lfs_lock.id', '=', id!))
    .$if(path !== undefined, (query) => query.where('lfs_lock.path', '=', path!))
    .$if(after !== undefined, (query) => query.where('lfs_lock.id', '>', after!))
    .orderBy('lfs_lock.id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    path: row.path,
    ownerId: asId(row.owner_id),
    ownerName: row.name,
    lockedAt: row.created_at,
  }))
}

/** False if the path is locked already. */
export async function insertLfsLock(
  tx: Tx,
  lock: { readonly repoId: RepoId; readonly ownerId: UserId; readonly path: string; readonly at: number },
): Promise<boolean> {
  const values = { repo_id: lock.repoId, owner_id: lock.ownerId, path: lock.path, created_at: lock.at }
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('lfs_lock')
    .values(values)
    .onConflict((conflict) => conflict.columns(['repo_id', 'path']).doNothing())
    .executeTakeFirst()
  return Boolean(numInsertedOrUpdatedRows)
}

/** False if the lock did not exist. */
export async function deleteLfsLock(tx: Tx, repoId: RepoId, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('lfs_lock')
    .where('repo_id', '=', repoId)
    .where('id', '=', id)
    .executeTakeFirst()
  return Boolean(numDeletedRows)
}

/** The counters of repositories, each with the query that counts it for the row `counted`. */
export const lfsCountersOfRepos = {
  lfs_size: sql`select cast(coalesce(sum(size), 0) as bigint) from lfs_link where repo_id = counted.id`,
}
