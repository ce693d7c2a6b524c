import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { PackageIndexFileTable } from './package-index.table.ts'

export type IndexFileRow = Selectable<PackageIndexFileTable>

export interface IndexName {
  readonly ownerId: UserId
  readonly type: string
}

export async function insertIndex(tx: Tx, { ownerId, type }: IndexName, state: string): Promise<number> {
  const { id } = await tx
    .insertInto('package_index')
    .values({ owner_id: ownerId, type, state })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function insertIndexFile(tx: Tx, row: Omit<IndexFileRow, 'id'>): Promise<void> {
  await tx.insertInto('package_index_file').values(row).execute()
}

export async function completeIndex(tx: Tx, id: number): Promise<void> {
  await tx.updateTable('package_index').set({ is_complete: 1 }).where('id', '=', id).execute()
}

/** The first complete index of this state. */
export async function findIndex(db: Db, { ownerId, type }: IndexName, state: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('package_index')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .where('state', '=', state)
    .where('is_complete', '=', 1)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

export const findIndexFile = (db: Db, indexId: number, name: string): Promise<IndexFileRow | undefined> =>
  db
    .selectFrom('package_index_file')
    .selectAll()
    .where('index_id', '=', indexId)
    .where('name', '=', name)
    .executeTakeFirst()

/** Files of all states that are there. */
export const listIndexFilesOf = (db: Db, { ownerId, type }: IndexName): Promise<IndexFileRow[]> =>
  db
    .selectFrom('package_index_file')
    .selectAll()
    .where('index_id', 'in', (query) =>
      query
        .selectFrom('package_index')
        .select('id')
        .where('owner_id', '=', ownerId)
        .where('type', '=', type)
        .where('is_complete', '=', 1),
    )
    .orderBy('id', 'desc')
    .execute()

/** Deletes all but the newest indexes. Returns the hashes of the files of the deleted ones. */
export async function deleteOldIndexes(tx: Tx, { ownerId, type }: IndexName, keep: number): Promise<string[]> {
  const old = await tx
    .selectFrom('package_index')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .orderBy('id', 'desc')
    .offset(keep)
    .limit(1000)
    .execute()
  if (old.length === 0) return []
  const ids = old.map(({ id }) => id)
  const files = await tx.deleteFrom('package_index_file').where('index_id', 'in', ids).returning('sha256').execute()
  await tx.deleteFrom('package_index').where('id', 'in', ids).execute()
  return files.map(({ sha256 }) => sha256)
}

/** Whether an index has a file with this content. */
export const findIndexUse = async (db: Db, sha256: string): Promise<true | undefined> =>
  (await db.selectFrom('package_index_file').select('id').where('sha256', '=', sha256).limit(1).executeTakeFirst()) &&
  true
