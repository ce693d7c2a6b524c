import type { Db, Tx } from '../../../core/db/database.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'

interface BranchRename {
  readonly repoId: RepoId
  readonly from: string
  readonly to: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Stores the old name of a branch, and points its earlier names to the new one. */
export async function recordBranchRename(tx: Tx, { repoId, from, to, at }: BranchRename): Promise<void> {
  await tx.deleteFrom('renamed_branch').where('repo_id', '=', repoId).where('from_name', 'in', [from, to]).execute()
  await tx
    .updateTable('renamed_branch')
    .set({ to_name: to })
    .where('repo_id', '=', repoId)
    .where('to_name', '=', from)
    .execute()
  await tx
    .insertInto('renamed_branch')
    .values({ repo_id: repoId, from_name: from, to_name: to, created_at: at })
    .execute()
}

/** The current names of renamed branches, by the stored old names. */
export async function mapRenamedBranches(
  db: Db,
  repoId: RepoId,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const rows = await db
    .selectFrom('renamed_branch')
    .select(['from_name', 'to_name'])
    .where('repo_id', '=', repoId)
    .where('from_name', 'in', names)
    .execute()
  return new Map(rows.map((row) => [row.from_name, row.to_name]))
}
