import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { MirrorTable } from './mirror.table.ts'

/** Milliseconds and epoch milliseconds. */
export interface Mirror {
  readonly repoId: RepoId
  readonly interval: number
  readonly isPruning: boolean
  readonly syncedAt: number
  /** Without credentials. */
  readonly remoteUrl: string
  /** Sealed; empty for none. */
  readonly credentials: string
  readonly remoteHead: string
  /** The wiki is mirrored too. */
  readonly hasWiki: boolean
  readonly hasLfs: boolean
  /** Sealed; empty for the default of the remote. */
  readonly lfsEndpoint: string
  readonly isLfsPending: boolean
  readonly lastError: string
}

const toMirror = (row: Selectable<MirrorTable>): Mirror => ({
  repoId: asId(row.repo_id),
  interval: row.interval,
  isPruning: row.is_pruning === 1,
  syncedAt: row.synced_at,
  remoteUrl: row.remote_url,
  credentials: row.credentials,
  remoteHead: row.remote_head,
  hasWiki: row.has_wiki === 1,
  hasLfs: row.has_lfs === 1,
  lfsEndpoint: row.lfs_endpoint,
  isLfsPending: row.lfs_pending === 1,
  lastError: row.last_error,
})

export async function listMirrors(db: Db, repoIds: readonly RepoId[]): Promise<Mirror[]> {
  if (repoIds.length === 0) return []
  return (await db.selectFrom('mirror').selectAll().where('repo_id', 'in', repoIds).execute()).map(toMirror)
}

export async function findMirror(db: Db, repoId: RepoId): Promise<Mirror | undefined> {
  return (await listMirrors(db, [repoId]))[0]
}

export async function insertMirror(tx: Tx, values: Insertable<MirrorTable>): Promise<void> {
  await tx.insertInto('mirror').values(values).execute()
}

export async function updateMirror(tx: Tx, repoId: RepoId, values: Updateable<MirrorTable>): Promise<void> {
  await tx.updateTable('mirror').set(values).where('repo_id', '=', repoId).execute()
}
