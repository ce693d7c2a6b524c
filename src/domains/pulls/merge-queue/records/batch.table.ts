import type { Generated } from 'kysely'

/** The pull requests at the head of a queue that are tested and merged together. */
export interface MergeQueueBatchTable {
  id: Generated<number>
  repo_id: number
  branch: string
  /** `building`, `testing` or `merging`. */
  state: string
  /** The tip of the base that it is built upon; empty before. */
  base_oid: Generated<string>
  /** The commit that merges all of them; empty before it is built. */
  oid: Generated<string>
  /** 1 when the event of the built commit was written. */
  is_announced: Generated<number>
  /** Epoch milliseconds; 0 before. */
  built_at: Generated<number>
  /** Epoch milliseconds. */
  created_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    merge_queue_batch: MergeQueueBatchTable
  }
}
