import { type Insertable, sql } from 'kysely'
import type { BlobUse } from '../../../../core/blobs/index.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { isBlobName } from '../stored-blocks/stored-block.store.ts'
import type { ActionCacheTable } from './cache.table.ts'

/** Facts that decide which caches a job may read and save. */
export interface CacheRun {
  readonly ref: string
  /** JSON. */
  readonly payload: string
  readonly isFromFork: boolean
  readonly defaultBranch: string
}

export async function findCacheRun(db: Db, runId: number): Promise<CacheRun | undefined> {
  const row = await db
    .selectFrom('action_run')
    .innerJoin('repo', 'repo.id', 'action_run.repo_id')
    .select(['action_run.ref', 'action_run.payload', 'action_run.is_from_fork', 'repo.default_branch'])
    .where('action_run.id', '=', runId)
    .executeTakeFirst()
  return (
    row && {
      ref: row.ref,
      payload: row.payload,
      isFromFork: row.is_from_fork === 1,
      defaultBranch: row.default_branch,
    }
  )
}

export interface Cache {
  readonly id: number
  readonly ref: string
  readonly key: string
  readonly hash: string
  /** Bytes. */
  readonly size: number
  /** Epoch milliseconds. */
  readonly usedAt: number
  readonly createdAt: number
}

const COLUMNS = ['id', 'ref', 'key', 'hash', 'size', 'used_at as usedAt', 'created_at as createdAt'] as const

export interface CacheName {
  readonly repoId: RepoId
  readonly ref: string
  readonly version: string
  readonly key: string
}

const ofVersion = (db: Db, { repoId, ref, version }: Omit<CacheName, 'key'>) =>
  db
    .selectFrom('action_cache')
    .select(COLUMNS)
    .where('repo_id', '=', repoId)
    .where('ref', '=', ref)
    .where('version', '=', version)

/** The cache of exactly this key. */
export const findCache = (db: Db, name: CacheName): Promise<Cache | undefined> =>
  ofVersion(db, name).where('key', '=', name.key).executeTakeFirst()

/** The cache of this key, else the newest one whose key begins with it. */
export const findCacheByPrefix = (db: Db, name: CacheName): Promise<Cache | undefined> =>
  ofVersion(db, name)
    .where('key', '>=', name.key)
    // NOTE: texts are compared by bytes, and this is the last character.
    .where('key', '<=', `${name.key}\u{10ffff}`)
    .orderBy((eb) => eb.case().when('key', '=', name.key).then(0).else(1).end())
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

export const findCacheById = (db: Db, id: number): Promise<Cache | undefined> =>
  db.selectFrom('action_cache').select(COLUMNS).where('id', '=', id).executeTakeFirst()

/** Returns the id; undefined when there is a cache of this name already. */
export async function insertCache(tx: Tx, values: Insertable<ActionCacheTable>): Promise<number | undefined> {
  const row = await tx
    .insertInto('action_cache')
    .values(values)
    .onConflict((conflict) => conflict.columns(['repo_id', 'ref', 'version', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

export async function touchCache(tx: Tx, id: number, at: number): Promise<void> {
  await tx.updateTable('action_cache').set({ used_at: at }).where('id', '=', id).execute()
}

/** The caches of a repository, the most recently used ones first. */
export const listCacheSizes = (db: Db, repoId: RepoId): Promise<{ readonly id: number; readonly size: number }[]> =>
  db
    .selectFrom('action_cache')
    .select(['id', 'size'])
    .where('repo_id', '=', repoId)
    .orderBy('used_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

/** Returns their blobs, which may be unused now. */
export async function deleteCaches(tx: Tx, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await tx
    .deleteFrom('action_cache')
    .where('id', 'in', [...ids])
    .returning('hash')
    .execute()
  return rows.map(({ hash }) => hash)
}

/** Deletes caches that no job has used since `before`. Returns their blobs, which may be unused now. */
export async function expireCaches(
  tx: Tx,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<string[]> {
  const due = await tx.selectFrom('action_cache').select('id').where('used_at', '<', before).limit(limit).execute()
  return deleteCaches(
    tx,
    due.map(({ id }) => id),
  )
}

/** Bytes of the caches in the repositories of an owner. */
export async function sumCaches(db: Db, ownerId: UserId): Promise<number> {
  const { caches } = await db
    .selectFrom('action_cache')
    .innerJoin('repo', 'repo.id', 'action_cache.repo_id')
    .where('repo.owner_id', '=', ownerId)
    .select((eb) => sql<number>`cast(coalesce(sum(${eb.ref('action_cache.size')}), 0) as bigint)`.as('caches'))
    .executeTakeFirstOrThrow()
  return caches
}

/** The next caches, ordered by id. */
export async function listCacheUsesAfter(db: Db, after: number, limit: number): Promise<BlobUse[]> {
  const rows = await db
    .selectFrom('action_cache as cache')
    .innerJoin('repo', 'repo.id', 'cache.repo_id')
    .innerJoin('user', 'user.id', 'repo.owner_id')
    .select(['cache.id', 'cache.key', 'cache.hash', 'cache.size', 'repo.name as repo', 'user.name as owner'])
    .where('cache.id', '>', after)
    .where(isBlobName('cache.hash'))
    .orderBy('cache.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, key, hash, size, repo, owner }) => ({
    id,
    repo: `${owner}/${repo}`,
    label: key,
    hash,
    size,
  }))
}
