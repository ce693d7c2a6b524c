import type { Generated } from 'kysely'

/** The pull requests at the head of a queue that are tested and merged together. */
export interface MergeQueueBatchTable {
  id: Generated<number>
  repo_id: number
  branch: string
  /** `building`, `testing` or `merging`. */
  state: string
  /** The tip of the base that the batch is built upon; empty before the build. */
  base_oid: Generated<string>
  /** The commit that merges all pull requests of the batch; empty before it is built. */
  oid: Generated<string>
  /** 1 after the event of the built commit was written. */
  is_announced: Generated<number>
  /** Epoch milliseconds; 0 before the batch is built. */
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
  /** The repository of the base. */
  repo_id: number
  branch: string
  /** The order within the queue; gaps are possible. */
  position: number
  /** The account that queued the pull request and will merge it. */
  actor_id: number
  /** A `CredentialRestriction` of the actor, as JSON; empty for none. */
  restriction: Generated<string>
  /** The contract's `Do`. */
  style: string
  title: string
  message: string
  /** `yes`, `no`, or empty for the setting of the repository. */
  deletes_branch: string
  /** The head that was queued: a new head removes the entry. */
  head_oid: string
  /** 0 while the entry is in no batch. */
  batch_id: Generated<number>
  /** The commit that merges this entry within its batch; empty before it is built. */
  oid: Generated<string>
  /** The failed batch whose parts are being tested; 0 for none. */
  suspect_id: Generated<number>
  /** The maximum size of the next batch of a suspect. */
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
