import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** The choice of a user for an issue: subscribed or unsubscribed. */
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

/** A notification thread: one row per user and issue, or per user and repository. */
export interface NotificationTable {
  id: Generated<number>
  user_id: number
  repo_id: number
  /** Null for the repository itself: a pending transfer to the user. */
  issue_id: number | null
  kind: 'issue' | 'pull' | 'repository'
  status: 'unread' | 'read' | 'pinned'
  /** The reason of the last notification. */
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
