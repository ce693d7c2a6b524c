import type { Generated } from 'kysely'
import type { Flag } from '../../../../core/db/flag.ts'

/** What a user chose for an issue: to be notified of it, or not to be. */
export interface IssueWatchTable {
  issue_id: number
  user_id: number
  is_watching: Generated<Flag>
  created_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    issue_watch: IssueWatchTable
  }
}
