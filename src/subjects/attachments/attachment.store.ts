import { sql, type Insertable, type Selectable } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { asId, type RepoId, type UserId } from '../../platform/ids.ts'
import type { AttachmentTable } from './attachment.table.ts'

/** A file of a release, an issue or a comment (0: not of one). Times are epoch milliseconds, sizes bytes. */
export interface Attachment {
  readonly id: number
  readonly uuid: string
  readonly repoId: RepoId
  readonly releaseId: number
  readonly issueId: number
  readonly commentId: number
  readonly uploaderId: UserId
  readonly name: string
  readonly size: number
  /** Of the blob; empty for a link to another server. */
  readonly hash: string
  readonly externalUrl: string
  readonly downloadCount: number
  readonly createdAt: number
}

const toAttachment = (row: Selectable<AttachmentTable>): Attachment => ({
  id: row.id,
  uuid: row.uuid,
  repoId: asId(row.repo_id),
  releaseId: row.release_id,
  issueId: row.issue_id,
  commentId: row.comment_id,
  uploaderId: asId(row.uploader_id),
  name: row.name,
  size: row.size,
  hash: row.hash,
  externalUrl: row.external_url,
  downloadCount: row.download_count,
  createdAt: row.created_at,
})

/** What files hang on: all files of these releases, or of these issues or comments. */
export type AttachmentOwner = 'release_id' | 'issue_id' | 'comment_id'

/** Sorted by name. Files of comments count as their comment's alone. */
export async function listAttachmentsOf(db: Db, owner: AttachmentOwner, ids: readonly number[]): Promise<Attachment[]> {
  if (ids.length === 0) return []
  let query = db.selectFrom('attachment').selectAll().where(owner, 'in', ids)
  if (owner === 'issue_id') query = query.where('comment_id', '=', 0)
  return (await query.orderBy('name').orderBy('id').execute()).map(toAttachment)
}

export async function findAttachment(db: Db, id: number): Promise<Attachment | undefined> {
  const row = await db.selectFrom('attachment').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toAttachment(row)
}

export async function findAttachmentByUuid(db: Db, uuid: string): Promise<Attachment | undefined> {
  const row = await db.selectFrom('attachment').selectAll().where('uuid', '=', uuid).executeTakeFirst()
  return row && toAttachment(row)
}

/** The newest file of that name in a release. */
export async function findReleaseAttachment(db: Db, releaseId: number, name: string): Promise<Attachment | undefined> {
  const row = await db
    .selectFrom('attachment')
    .selectAll()
    .where('release_id', '=', releaseId)
    .where('name', '=', name)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row && toAttachment(row)
}

export async function insertAttachment(tx: Tx, values: Insertable<AttachmentTable>): Promise<Attachment> {
  return toAttachment(await tx.insertInto('attachment').values(values).returningAll().executeTakeFirstOrThrow())
}

export async function updateAttachment(
  tx: Tx,
  id: number,
  values: { readonly name?: string; readonly external_url?: string },
): Promise<void> {
  await tx.updateTable('attachment').set(values).where('id', '=', id).execute()
}

export async function countDownload(tx: Tx, id: number): Promise<void> {
  await tx
    .updateTable('attachment')
    .set({ download_count: sql<number>`download_count + 1` })
    .where('id', '=', id)
    .execute()
}

/** The blobs that may have become free with the rows. */
export async function deleteAttachments(tx: Tx, column: AttachmentOwner | 'id', id: number): Promise<string[]> {
  const rows = await tx.deleteFrom('attachment').where(column, '=', id).returning('hash').execute()
  return [...new Set(rows.map((row) => row.hash).filter((hash) => hash !== ''))]
}

/** Whether any row names the blob. */
export async function isBlobAttached(db: Db, hash: string): Promise<boolean> {
  return (
    (await db.selectFrom('attachment').select('id').where('hash', '=', hash).limit(1).executeTakeFirst()) !== undefined
  )
}
