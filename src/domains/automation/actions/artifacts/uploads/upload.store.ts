import type { BlobUse } from '../../../../../core/blobs/index.ts'
import { type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../../../../core/db/database.ts'
import { asId, type RepoId, type UserId } from '../../../../../core/platform/crypto/ids.ts'
import type { ActionUploadBlockTable, ActionUploadTable, UploadKind } from './upload.table.ts'

/** Identifies an upload of a task. */
export interface UploadName {
  readonly repoId: RepoId
  readonly taskId: number
  readonly kind: UploadKind
  readonly name: string
  /** Empty for a v4 artifact. */
  readonly variant: string
}

export interface Upload extends UploadName {
  readonly id: number
  readonly encoding: string
  readonly mimeType: string
  /** Epoch milliseconds; 0: not given. */
  readonly expiresAt: number
  readonly listed: readonly string[] | undefined
  readonly blocks: number
  /** Bytes. */
  readonly size: number
}

export type UploadBlock = Pick<Selectable<ActionUploadBlockTable>, 'name' | 'position' | 'hash' | 'size'>

const toUpload = (row: Selectable<ActionUploadTable>): Upload => ({
  id: row.id,
  repoId: asId(row.repo_id),
  taskId: row.task_id,
  kind: row.kind,
  name: row.name,
  variant: row.variant,
  encoding: row.encoding,
  mimeType: row.mime_type,
  expiresAt: row.expires_at,
  listed: row.listed === '' ? undefined : (JSON.parse(row.listed) as string[]),
  blocks: row.blocks,
  size: row.size,
})

interface NewUpload extends UploadName {
  readonly encoding: string
  readonly mimeType: string
  readonly expiresAt: number
  readonly at: number
}

export async function insertUpload(tx: Tx, upload: NewUpload): Promise<Upload> {
  const row = await tx
    .insertInto('action_upload')
    .values({
      repo_id: upload.repoId,
      task_id: upload.taskId,
      kind: upload.kind,
      name: upload.name,
      variant: upload.variant,
      encoding: upload.encoding,
      mime_type: upload.mimeType,
      expires_at: upload.expiresAt,
      created_at: upload.at,
      updated_at: upload.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toUpload(row)
}

/** Undefined also when the task has ended. */
export async function findUpload(db: Db, id: number): Promise<Upload | undefined> {
  const row = await db
    .selectFrom('action_upload')
    .innerJoin('action_task', 'action_task.id', 'action_upload.task_id')
    .selectAll('action_upload')
    .where('action_upload.id', '=', id)
    .where('action_task.status', '=', 'running')
    .executeTakeFirst()
  return row && toUpload(row)
}

export async function findUploadNamed(
  db: Db,
  { taskId, kind, name, variant }: UploadName,
): Promise<Upload | undefined> {
  const row = await db
    .selectFrom('action_upload')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('variant', '=', variant)
    .executeTakeFirst()
  return row && toUpload(row)
}

/** Locks the row until the end of the transaction. Undefined when it was deleted. */
export async function touchUpload(tx: Tx, id: number, at: number): Promise<Upload | undefined> {
  const row = await tx
    .updateTable('action_upload')
    .set({ updated_at: at })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && toUpload(row)
}

export async function updateUpload(
  tx: Tx,
  id: number,
  values: Pick<Updateable<ActionUploadTable>, 'listed' | 'blocks' | 'size'>,
): Promise<void> {
  await tx.updateTable('action_upload').set(values).where('id', '=', id).execute()
}

export const listBlocks = (db: Db, uploadId: number): Promise<UploadBlock[]> =>
  db
    .selectFrom('action_upload_block')
    .select(['name', 'position', 'hash', 'size'])
    .where('upload_id', '=', uploadId)
    .orderBy('position')
    .execute()

export async function insertBlock(tx: Tx, block: Selectable<ActionUploadBlockTable>): Promise<void> {
  await tx.insertInto('action_upload_block').values(block).execute()
}

export const deleteBlock = (tx: Tx, uploadId: number, name: string): Promise<UploadBlock | undefined> =>
  tx
    .deleteFrom('action_upload_block')
    .where('upload_id', '=', uploadId)
    .where('name', '=', name)
    .returning(['name', 'position', 'hash', 'size'])
    .executeTakeFirst()

/** Deletes all blocks of an upload; returns their blobs, which may be unused now. */
export async function deleteBlocks(tx: Tx, uploadId: number): Promise<string[]> {
  const rows = await tx.deleteFrom('action_upload_block').where('upload_id', '=', uploadId).returning('hash').execute()
  return rows.map(({ hash }) => hash)
}

/** Deletes an upload with its blocks. False when it was deleted already. */
export async function deleteUpload(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('action_upload').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** The ids of uploads that nobody continued since this time (epoch milliseconds). */
export async function listOldUploads(db: Db, before: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('action_upload')
    .select('id')
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Bytes of the incomplete uploads in the repositories of an owner. */
export async function sumUploads(db: Db, ownerId: UserId): Promise<number> {
  const { uploads } = await db
    .selectFrom('action_upload')
    .innerJoin('repo', 'repo.id', 'action_upload.repo_id')
    .where('repo.owner_id', '=', ownerId)
    .select((eb) => sql<number>`cast(coalesce(sum(${eb.ref('action_upload.size')}), 0) as bigint)`.as('uploads'))
    .executeTakeFirstOrThrow()
  return uploads
}

/**
 * The blocks of the next uploads, ordered by the id of their upload. NOTE: the blocks of one upload have the same id, so
 * the last upload is always whole.
 */
export async function listBlockUsesAfter(db: Db, after: number, limit: number): Promise<BlobUse[]> {
  const blocks = db
    .selectFrom('action_upload_block as block')
    .innerJoin('action_upload as upload', 'upload.id', 'block.upload_id')
    .innerJoin('repo', 'repo.id', 'upload.repo_id')
    .innerJoin('user', 'user.id', 'repo.owner_id')
    .select([
      'block.upload_id as id',
      'block.name as block',
      'block.hash',
      'block.size',
      'upload.name',
      'repo.name as repo',
      'user.name as owner',
    ])
    .orderBy('block.upload_id')
    .orderBy('block.name')
  const rows = await blocks.where('block.upload_id', '>', after).limit(limit).execute()
  const last = rows.at(-1)
  if (last !== undefined && rows.length === limit)
    rows.push(...(await blocks.where('block.upload_id', '=', last.id).where('block.name', '>', last.block).execute()))
  return rows.map(({ id, name, hash, size, repo, owner }) => ({
    id,
    repo: `${owner}/${repo}`,
    label: `of ${name}`,
    hash,
    size,
  }))
}
