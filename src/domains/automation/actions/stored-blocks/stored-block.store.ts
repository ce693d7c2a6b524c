import { sql } from 'kysely'
import type { BlobUse } from '../../../../core/blobs/index.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { randomHex } from '../../../../core/platform/crypto/crypto.ts'

/** A part of a file. */
export interface Block {
  readonly hash: string
  /** Bytes. */
  readonly size: number
}

export interface StoredBlock extends Block {
  /** The offset of its first byte in the file. */
  readonly position: number
}

/** No hash of a blob begins like this. */
const PREFIX = 'blocks-'
const NAME_BYTES = 16
/** Rows of one statement. */
const BATCH = 500

/** Whether the name in the column of a hash is that of a list of blocks. */
export const isBlockList = (name: string): boolean => name.startsWith(PREFIX)

/** An SQL condition: the column contains the hash of a blob. */
export const isBlobName = (column: string) => sql<boolean>`${sql.ref(column)} not like ${`${PREFIX}%`}`

/** Stores the list of the blocks of a file; returns its name, which no other file gets. */
export async function insertBlockList(tx: Tx, blocks: readonly Block[]): Promise<string> {
  const file = `${PREFIX}${randomHex(NAME_BYTES)}`
  let position = 0
  const rows = blocks.map(({ hash, size }) => {
    const row = { file, position, hash, size }
    position += size
    return row
  })
  for (let at = 0; at < rows.length; at += BATCH)
    await tx
      .insertInto('action_stored_block')
      .values(rows.slice(at, at + BATCH))
      .execute()
  return file
}

/** The blocks in the order of the file; none for an unknown list. */
export const listStoredBlocks = (db: Db, file: string): Promise<StoredBlock[]> =>
  db
    .selectFrom('action_stored_block')
    .select(['position', 'hash', 'size'])
    .where('file', '=', file)
    .orderBy('position')
    .execute()

/** Deletes a list; returns its blobs, which may be unused now. */
export async function deleteBlockList(tx: Tx, file: string): Promise<string[]> {
  const rows = await tx.deleteFrom('action_stored_block').where('file', '=', file).returning('hash').execute()
  return rows.map(({ hash }) => hash)
}

const isUsed = sql<boolean>`(exists (select 1 from action_artifact where action_artifact.hash = action_stored_block.file)
  or exists (select 1 from action_cache where action_cache.hash = action_stored_block.file))`

/** Lists that no artifact and no cache names, as those of deleted repositories. */
export async function listUnusedBlockLists(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('action_stored_block')
    .select('file')
    .where('position', '=', 0)
    .where(sql<boolean>`not ${isUsed}`)
    .limit(limit)
    .execute()
  return rows.map(({ file }) => file)
}

/** The next blocks of artifacts and caches, ordered by id. */
export async function listStoredBlockUsesAfter(db: Db, after: number, limit: number): Promise<BlobUse[]> {
  const rows = await db
    .selectFrom('action_stored_block as block')
    .leftJoin('action_artifact as artifact', 'artifact.hash', 'block.file')
    .leftJoin('action_cache as cache', 'cache.hash', 'block.file')
    .leftJoin('repo', (join) => join.on(sql<boolean>`repo.id = coalesce(artifact.repo_id, cache.repo_id)`))
    .leftJoin('user', 'user.id', 'repo.owner_id')
    .select(['block.id', 'block.hash', 'block.size', 'artifact.name', 'cache.key'])
    .select(['repo.name as repo', 'user.name as owner'])
    .where('block.id', '>', after)
    .orderBy('block.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, hash, size, name, key, repo, owner }) => ({
    id,
    repo: repo === null ? '' : `${owner}/${repo}`,
    label: `of ${name ?? key ?? 'a deleted file'}`,
    hash,
    size,
  }))
}
