import type { BlobUse } from '../../../../core/blobs/index.ts'
import type { Db } from '../../../../core/db/database.ts'

/** The next links to large files by id. */
export async function listLfsUsesAfter(db: Db, after: number, limit: number): Promise<BlobUse[]> {
  const rows = await db
    .selectFrom('lfs_link')
    .leftJoin('repo', 'repo.id', 'lfs_link.repo_id')
    .leftJoin('user', 'user.id', 'repo.owner_id')
    .select(['lfs_link.id', 'lfs_link.oid', 'lfs_link.size', 'repo.name as repo', 'user.name as owner'])
    .where('lfs_link.id', '>', after)
    .orderBy('lfs_link.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, oid, size, repo, owner }) => ({
    id,
    repo: repo === null || owner === null ? '' : `${owner}/${repo}`,
    label: oid,
    hash: oid,
    size,
  }))
}
