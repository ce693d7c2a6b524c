import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { ContainerChunkTable, ContainerUploadTable } from './container.table.ts'

export type ContainerUpload = Selectable<ContainerUploadTable>
export type ContainerChunk = Selectable<ContainerChunkTable>

export async function insertUpload(tx: Tx, upload: ContainerUpload): Promise<void> {
  await tx.insertInto('container_upload').values(upload).execute()
}

export const findUpload = (db: Db, packageId: number, id: string): Promise<ContainerUpload | undefined> =>
  db
    .selectFrom('container_upload')
    .selectAll()
    .where('id', '=', id)
    .where('package_id', '=', packageId)
    .executeTakeFirst()

export const listChunks = (db: Db, uploadId: string): Promise<ContainerChunk[]> =>
  db.selectFrom('container_chunk').selectAll().where('upload_id', '=', uploadId).orderBy('position').execute()

/** Appends a chunk at the end of an upload; false if the size of the upload has changed. */
export async function appendChunk(tx: Tx, chunk: Omit<ContainerChunk, 'id'>, at: number): Promise<boolean> {
  const grown = await tx
    .updateTable('container_upload')
    .set({ size: chunk.position + chunk.size, updated_at: at })
    .where('id', '=', chunk.upload_id)
    .where('size', '=', chunk.position)
    .executeTakeFirst()
  if (grown.numUpdatedRows === 0n) return false
  await tx.insertInto('container_chunk').values(chunk).execute()
  return true
}

/** False if it did not exist. */
export async function deleteUpload(tx: Tx, id: string): Promise<boolean> {
  await tx.deleteFrom('container_chunk').where('upload_id', '=', id).execute()
  const { numDeletedRows } = await tx.deleteFrom('container_upload').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Deletes uploads that nobody continued since a time (epoch milliseconds), and chunks without an upload. */
export async function deleteOldUploads(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('container_upload').where('updated_at', '<', before).execute()
  await tx
    .deleteFrom('container_chunk')
    .where('upload_id', 'not in', (query) => query.selectFrom('container_upload').select('container_upload.id'))
    .execute()
}

/** Whether a blob, a manifest or a chunk of an image has these bytes; undefined if none has. */
export async function findContainerUse(db: Db, sha256: string): Promise<true | undefined> {
  for (const table of ['container_blob', 'container_manifest', 'container_chunk'] as const)
    if (await db.selectFrom(table).select('id').where('sha256', '=', sha256).limit(1).executeTakeFirst()) return true
  return undefined
}
