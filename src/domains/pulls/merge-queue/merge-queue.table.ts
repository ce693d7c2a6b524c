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

declare module '../../../core/db/schema.ts' {
  interface Schema {
    merge_queue_batch: MergeQueueBatchTable
  }
}

/** A pull request in the merge queue of its base. */
export interface MergeQueueEntryTable {
  pull_id: number
  issue_id: number
  /** Of the base. */
  repo_id: number
  branch: string
  /** Orders the queue; there may be gaps. */
  position: number
  /** Who queued it, and merges it. */
  actor_id: number
  /** A `CredentialRestriction` of the actor, as JSON; empty for none. */
  restriction: Generated<string>
  /** The contract's `Do`. */
  style: string
  title: string
  message: string
  /** `yes`, `no`, or empty for the setting of the repository. */
  deletes_branch: string
  /** The head that was queued: another one leaves the queue. */
  head_oid: string
  /** The batch that it is in; 0 while it waits. */
  batch_id: Generated<number>
  /** The commit that merges it in its batch; empty before that is built. */
  oid: Generated<string>
  /** The batch that failed with it, whose parts are tested now; 0 for none. */
  suspect_id: Generated<number>
  /** Of suspects: as many are tested together. */
  max_batch: Generated<number>
  /** Why its last batch failed; empty for none. */
  failure: Generated<string>
  /** Epoch milliseconds. */
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    merge_queue_entry: MergeQueueEntryTable
  }
}
