import type { Generated } from 'kysely'
import type { Flag } from '../../../db/flag.ts'

/** A repository that follows another server's. Times are epoch milliseconds. */
export interface MirrorTable {
  repo_id: number
  /** Milliseconds between two syncs; 0 is by hand only. */
  interval: Generated<number>
  is_pruning: Generated<Flag>
  synced_at: Generated<number>
  /** 0: not by the clock. */
  next_sync_at: Generated<number>
  /** Without credentials. */
  remote_url: Generated<string>
  /** Sealed; empty for none. */
  credentials: Generated<string>
  /** The branch the remote's HEAD named last. */
  remote_head: Generated<string>
  /** The wiki came from the remote too and follows it; any other wiki is the repository's own. */
  has_wiki: Generated<Flag>
  /** Large files follow too, from an endpoint of their own if there is one (sealed). */
  has_lfs: Generated<Flag>
  lfs_endpoint: Generated<string>
  /** Not all large files have come: the next sync looks through the whole history. */
  lfs_pending: Generated<Flag>
  /** Of the last sync; empty when it went well. */
  last_error: Generated<string>
}

declare module '../../../db/schema.ts' {
  interface Schema {
    mirror: MirrorTable
  }
}
