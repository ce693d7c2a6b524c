import type { Updateable } from 'kysely'
import { asId, type RepoId } from '../../platform/ids.ts'
import type { Db, Tx } from '../database.ts'
import type { MirrorTable } from '../tables/repo.ts'

/** Milliseconds and epoch milliseconds. */
export interface Mirror {
  readonly repoId: RepoId
  readonly interval: number
  readonly isPruning: boolean
  readonly syncedAt: number
}

export async function listMirrors(db: Db, repoIds: readonly RepoId[]): Promise<Mirror[]> {
  if (repoIds.length === 0) return []
  const rows = await db.selectFrom('mirror').selectAll().where('repo_id', 'in', repoIds).execute()
  return rows.map((row) => ({ repoId: asId(row.repo_id), interval: row.interval, isPruning: row.is_pruning === 1, syncedAt: row.synced_at }))
}

export async function updateMirror(tx: Tx, repoId: RepoId, values: Updateable<MirrorTable>): Promise<void> {
  await tx.updateTable('mirror').set(values).where('repo_id', '=', repoId).execute()
}
