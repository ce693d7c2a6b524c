import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** A merge whose base is being moved; written before the move and deleted with the record of the merge. */
export interface MergeIntentTable {
  pull_id: number
  /** The repository of the base. */
  repo_id: number
  base_branch: string
  /** The commit that the base branch is moved to. */
  oid: string
  /** The contract's `Do`. */
  style: string
  actor_id: number
  is_auto: Generated<Flag>
  deletes_branch: Generated<Flag>
  /** The server that runs the merge, by its start time. */
  server: Generated<string>
  /** A `CredentialRestriction` of the actor, as JSON; empty for none. */
  restriction: Generated<string>
  /** Epoch milliseconds. */
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    merge_intent: MergeIntentTable
  }
}

/** A pull request that is merged as soon as the protection of its base allows it. */
export interface MergeScheduleTable {
  pull_id: number
  issue_id: number
  /** The repository of the base. */
  repo_id: number
  /** The account that merges. */
  actor_id: number
  /** A `CredentialRestriction` of the actor, as JSON; empty for none. */
  restriction: Generated<string>
  /** The contract's `Do`. */
  style: string
  title: string
  message: string
  /** `yes`, `no`, or empty for the setting of the repository. */
  deletes_branch: string
  /** The head to merge: a new head ends the schedule. Empty for any head. */
  head_oid: Generated<string>
  /** Epoch milliseconds. */
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    merge_schedule: MergeScheduleTable
  }
}
