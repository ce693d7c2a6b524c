import type { Generated } from 'kysely'
import type { Flag } from '../../../../core/db/flag.ts'

/** A pull mirror. Times are epoch milliseconds. */
export interface MirrorTable {
  repo_id: number
  /** Milliseconds between two syncs; 0 is by hand only. */
  interval: Generated<number>
  is_pruning: Generated<Flag>
  synced_at: Generated<number>
  /** 0 for syncs by hand only. */
  next_sync_at: Generated<number>
  /** Without credentials. */
  remote_url: Generated<string>
  /** Sealed; empty for none. */
  credentials: Generated<string>
  /** The branch of the remote's HEAD at the last sync. */
  remote_head: Generated<string>
  /** The wiki is mirrored too; otherwise it is the repository's own. */
  has_wiki: Generated<Flag>
  /** LFS objects are mirrored too, from `lfs_endpoint` (sealed) if it is set. */
  has_lfs: Generated<Flag>
  lfs_endpoint: Generated<string>
  /** LFS objects are missing: the next sync searches the whole history. */
  lfs_pending: Generated<Flag>
  /** Of the last sync; empty when it succeeded. */
  last_error: Generated<string>
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    mirror: MirrorTable
  }
}
