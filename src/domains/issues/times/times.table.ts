import type { Generated } from 'kysely'

/** The stopwatch that runs for a user; it has at most one. */
export interface StopwatchTable {
  user_id: number
  issue_id: number
  started_at: number
}

/** Time that a user spent on an issue or pull request. */
export interface TrackedTimeTable {
  id: Generated<number>
  issue_id: number
  /** Of the issue; changes when the issue is transferred. */
  repo_id: number
  /** The row may be gone: the account was deleted. */
  user_id: number
  /** Negative where a correction was entered. */
  seconds: number
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    stopwatch: StopwatchTable
    tracked_time: TrackedTimeTable
  }
}
