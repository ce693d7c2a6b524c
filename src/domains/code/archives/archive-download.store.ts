import { sql } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'

/** The download counts of the archives of a tag. */
export interface ArchiveDownloads {
  readonly zip: number
  readonly tarGz: number
}

export const NO_DOWNLOADS: ArchiveDownloads = { zip: 0, tarGz: 0 }

export async function countArchiveDownload(
  tx: Tx,
  { repoId, tag, kind }: { readonly repoId: RepoId; readonly tag: string; readonly kind: 'zip' | 'tar_gz' },
): Promise<void> {
  await tx
    .insertInto('archive_download')
    .values({ repo_id: repoId, tag, [kind]: 1 })
    .onConflict((on) =>
      on.columns(['repo_id', 'tag']).doUpdateSet({ [kind]: sql<number>`${sql.ref(`archive_download.${kind}`)} + 1` }),
    )
    .execute()
}

/** The download counts by tag; tags without downloads are omitted. */
export async function loadArchiveDownloads(
  db: Db,
  repoId: RepoId,
  tags: readonly string[],
): Promise<Map<string, ArchiveDownloads>> {
  if (tags.length === 0) return new Map()
  const rows = await db
    .selectFrom('archive_download')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('tag', 'in', tags)
    .execute()
  return new Map(rows.map((row) => [row.tag, { zip: row.zip, tarGz: row.tar_gz }]))
}
