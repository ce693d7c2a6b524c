import type { Generated } from 'kysely'
import type { OriginalAuthorColumns } from '../../../core/db/original-author.ts'

/** The stopwatch that runs for a user; it has at most one. */
export interface StopwatchTable {
  user_id: number
  issue_id: number
  started_at: number
}

/** Time that a user spent on an issue or pull request. */
export interface TrackedTimeTable extends OriginalAuthorColumns {
  id: Generated<number>
  issue_id: number
  /** The repository of the issue; changes with a transfer. */
  repo_id: number
  /** 0 for an imported time without an account. The account may have been deleted. */
  user_id: number
  /** Negative for a correction. */
  seconds: number
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    stopwatch: StopwatchTable
    tracked_time: TrackedTimeTable
  }
}
