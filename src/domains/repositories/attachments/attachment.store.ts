import { sql, type Insertable, type Selectable } from 'kysely'
import type { BlobUse } from '../../../core/blobs/index.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { defineQuery } from '../../../core/db/prepared-statement.ts'
import { asId, type IssueId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { QuotaUsage } from '../../accounts/index.ts'
import type { AttachmentTable } from './attachment.table.ts'

/** A file of a release, an issue or a comment; an id of 0 means "none". Times are epoch milliseconds, sizes bytes. */
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
  /** The hash of the blob; empty for a link to another server. */
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

/** The kinds of resources that have attachments. */
export type AttachmentOwner = 'release' | 'issue' | 'comment'

const columnOf = (owner: AttachmentOwner) => `${owner}_id` as const

/** Files of these owners, sorted by name. Files of comments are not files of the issue. */
export async function listAttachmentsOf(db: Db, owner: AttachmentOwner, ids: readonly number[]): Promise<Attachment[]> {
  return ids.length === 0 ? [] : (await attachmentsOf(db, { ids }, owner)).map(toAttachment)
}

const attachmentsOf = defineQuery((db, { ids }: { ids: readonly number[] }, owner: AttachmentOwner) => {
  const query = db.selectFrom('attachment').selectAll().where(columnOf(owner), 'in', ids)
  const own = owner === 'issue' ? query.where('comment_id', '=', 0) : query
  return own.orderBy('name').orderBy('id')
})

/** Files with these ids, sorted by name; omits unknown ids. */
export const listAttachmentsByIds = async (db: Db, ids: readonly number[]): Promise<Attachment[]> =>
  ids.length === 0 ? [] : (await attachmentsById(db, { ids })).map(toAttachment)

const attachmentsById = defineQuery((db, { ids }: { ids: readonly number[] }) =>
  db.selectFrom('attachment').selectAll().where('id', 'in', ids).orderBy('name').orderBy('id'),
)

/** Files of all comments of an issue, sorted by name. */
export async function listCommentAttachments(db: Db, issueId: IssueId): Promise<Attachment[]> {
  return (await attachmentsOfComments(db, { issueId })).map(toAttachment)
}

const attachmentsOfComments = defineQuery((db, { issueId }: { issueId: IssueId }) =>
  db
    .selectFrom('attachment')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('comment_id', '!=', 0)
    .orderBy('name')
    .orderBy('id'),
)

export async function findAttachment(db: Db, id: number): Promise<Attachment | undefined> {
  const row = await db.selectFrom('attachment').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toAttachment(row)
}

export async function findAttachmentByUuid(db: Db, uuid: string): Promise<Attachment | undefined> {
  const row = await db.selectFrom('attachment').selectAll().where('uuid', '=', uuid).executeTakeFirst()
  return row && toAttachment(row)
}

/** The newest file of that name. */
export async function findAttachmentByName(
  db: Db,
  owner: AttachmentOwner,
  ownerId: number,
  name: string,
): Promise<Attachment | undefined> {
  const row = await db
    .selectFrom('attachment')
    .selectAll()
    .where(columnOf(owner), '=', ownerId)
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

/** Returns the hashes of blobs that may be unused now; undefined if the file was already deleted. */
export async function deleteAttachment(tx: Tx, id: number): Promise<string[] | undefined> {
  const rows = await tx.deleteFrom('attachment').where('id', '=', id).returning('hash').execute()
  return rows.length === 0 ? undefined : hashesOf(rows)
}

/** Deletes all files of an owner. Returns the hashes of blobs that may be unused now. */
export async function deleteAttachmentsOf(tx: Tx, owner: AttachmentOwner, ownerId: number): Promise<string[]> {
  return hashesOf(await tx.deleteFrom('attachment').where(columnOf(owner), '=', ownerId).returning('hash').execute())
}

/** Sets the repository of the files of an issue that was transferred, and of the files of its comments. */
export async function moveAttachments(tx: Tx, issueId: number, repoId: RepoId): Promise<void> {
  await tx.updateTable('attachment').set({ repo_id: repoId }).where('issue_id', '=', issueId).execute()
}

const hashesOf = (rows: readonly { readonly hash: string }[]): string[] => [
  ...new Set(rows.map((row) => row.hash).filter((hash) => hash !== '')),
]

/** Whether any row refers to the blob. */
export async function isBlobAttached(db: Db, hash: string): Promise<boolean> {
  return (
    (await db.selectFrom('attachment').select('id').where('hash', '=', hash).limit(1).executeTakeFirst()) !== undefined
  )
}

/** The next files that are stored on this server, by id. */
export async function listAttachmentUsesAfter(db: Db, after: number, limit: number): Promise<BlobUse[]> {
  const rows = await db
    .selectFrom('attachment')
    .leftJoin('repo', 'repo.id', 'attachment.repo_id')
    .leftJoin('user', 'user.id', 'repo.owner_id')
    .select([
      'attachment.id',
      'attachment.name',
      'attachment.hash',
      'attachment.size',
      'repo.name as repo',
      'user.name as owner',
    ])
    .where('attachment.id', '>', after)
    .where('attachment.hash', '!=', '')
    .orderBy('attachment.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, name, hash, size, repo, owner }) => ({
    id,
    repo: repo === null || owner === null ? '' : `${owner}/${repo}`,
    label: name,
    hash,
    size,
  }))
}

/** Bytes of the attachments in the repositories of an owner. */
export async function sumAttachments(
  db: Db,
  ownerId: UserId,
): Promise<Pick<QuotaUsage, 'issueAttachments' | 'releaseAttachments'>> {
  const rows = await db
    .selectFrom('attachment')
    .innerJoin('repo', 'repo.id', 'attachment.repo_id')
    .where('repo.owner_id', '=', ownerId)
    .select((eb) => [
      eb.case().when('attachment.release_id', '=', 0).then(0).else(1).end().as('of_release'),
      sql<number>`cast(coalesce(sum(${eb.ref('attachment.size')}), 0) as bigint)`.as('size'),
    ])
    .groupBy('of_release')
    .execute()
  const size = (ofRelease: number): number => rows.find((row) => Number(row.of_release) === ofRelease)?.size ?? 0
  return { issueAttachments: size(0), releaseAttachments: size(1) }
}
