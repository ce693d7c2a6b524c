import type { Db } from '../../db/database.ts'

/** A row that names a blob. */
export interface BlobUse {
  readonly id: number
  /** Full name of the repository; empty for a row of none. */
  readonly repo: string
  /** What the row is to people: the object's id, the file's name. */
  readonly label: string
  readonly hash: string
  /** Bytes. */
  readonly size: number
}

interface Row {
  readonly id: number
  readonly label: string
  readonly hash: string
  readonly size: number
  readonly repo: string | null
  readonly owner: string | null
}

const toUse = ({ id, label, hash, size, repo, owner }: Row): BlobUse => ({
  id,
  label,
  hash,
  size,
  repo: repo === null || owner === null ? '' : `${owner}/${repo}`,
})

/** The next links to large files by id. */
export async function listLfsUsesAfter(db: Db, after: number, limit: number): Promise<BlobUse[]> {
  const rows = await db
    .selectFrom('lfs_link')
    .leftJoin('repo', 'repo.id', 'lfs_link.repo_id')
    .leftJoin('user', 'user.id', 'repo.owner_id')
    .select([
      'lfs_link.id',
      'lfs_link.oid as label',
      'lfs_link.oid as hash',
      'lfs_link.size',
      'repo.name as repo',
      'user.name as owner',
    ])
    .where('lfs_link.id', '>', after)
    .orderBy('lfs_link.id')
    .limit(limit)
    .execute()
  return rows.map(toUse)
}

/** The next attachments by id, those alone that lie on this server. */
export async function listAttachmentUsesAfter(db: Db, after: number, limit: number): Promise<BlobUse[]> {
  const rows = await db
    .selectFrom('attachment')
    .leftJoin('repo', 'repo.id', 'attachment.repo_id')
    .leftJoin('user', 'user.id', 'repo.owner_id')
    .select([
      'attachment.id',
      'attachment.name as label',
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
  return rows.map(toUse)
}
