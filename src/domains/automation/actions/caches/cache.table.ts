import type { Generated } from 'kysely'

/** A file that a job left for jobs of later runs. Times are epoch milliseconds. */
export interface ActionCacheTable {
  id: Generated<number>
  repo_id: number
  /** The full ref name whose runs saved it. */
  ref: string
  /** A hash by the client of the paths and the compression. */
  version: string
  key: string
  /** The hash of the blob, or the name of a list of blocks. */
  hash: string
  /** Bytes. */
  size: number
  used_at: number
  created_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    action_cache: ActionCacheTable
  }
}
