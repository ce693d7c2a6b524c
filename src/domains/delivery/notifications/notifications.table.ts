import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** What a user chose for an issue: to be notified of it, or not to be. */
export interface IssueWatchTable {
  issue_id: number
  user_id: number
  is_watching: Generated<Flag>
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    issue_watch: IssueWatchTable
  }
}

/** What a user is notified of: one row for each user and issue, or for each user and repository. */
export interface NotificationTable {
  id: Generated<number>
  user_id: number
  repo_id: number
  /** Null for the repository itself: a transfer that waits for the user. */
  issue_id: number | null
  kind: 'issue' | 'pull' | 'repository'
  status: 'unread' | 'read' | 'pinned'
  /** Why the user was notified last. */
  reason:
    'subscribed' | 'participating' | 'watching' | 'mentioned' | 'assigned' | 'review-requested' | 'repository-transfer'
  /** Time of the last activity, epoch milliseconds. */
  updated_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    notification: NotificationTable
  }
}
