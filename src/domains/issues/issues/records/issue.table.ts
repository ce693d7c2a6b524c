import type { Generated } from 'kysely'
import type { Flag } from '../../../../core/db/flag.ts'

/** The last number given to an issue or pull request of the repository. */
export interface IssueSequenceTable {
  repo_id: number
  last: number
}

/** An issue or a pull request. Times are epoch milliseconds. */
export interface IssueTable {
  id: Generated<number>
  repo_id: number
  /** Unique in the repository; never used again. */
  number: number
  is_pull: Generated<Flag>
  is_closed: Generated<Flag>
  /** The row may be gone: the account was deleted. */
  poster_id: number
  title: string
  /** Any text that the poster gave, usually the name of a branch. */
  ref: Generated<string>
  /** 0 for none. */
  milestone_id: Generated<number>
  /** 0 for none. */
  due_at: Generated<number>
  /** Comments and `reviews_counted`. */
  comments_count: Generated<number>
  /** Published reviews of a pull request as of its latest comment. */
  reviews_counted: Generated<number>
  is_locked: Generated<Flag>
  /** Position among the pinned ones from 1; 0 if not pinned. */
  pin_order: Generated<number>
  /** Increases with every change of the body and with every attachment. */
  content_version: Generated<number>
  /** Seconds; 0 for none. */
  time_estimate: Generated<number>
  created_at: number
  updated_at: number
  /** 0 while open. */
  closed_at: Generated<number>
  body: Generated<string>
}

/** `repo_id`, `is_closed`, `is_pull` and `created_at` are copies of the issue's. */
export interface IssueLabelTable {
  issue_id: number
  label_id: number
  repo_id: number
  is_closed: Generated<Flag>
  is_pull: Generated<Flag>
  created_at: number
}

/** `repo_id`, `is_closed`, `is_pull` and `created_at` are copies of the issue's. */
export interface IssueAssigneeTable {
  issue_id: number
  user_id: number
  /** Assignees are shown in this order. */
  position: number
  repo_id: number
  is_closed: Generated<Flag>
  is_pull: Generated<Flag>
  created_at: number
}

/** A user whom an issue or one of its comments mentions; the copies are as those of issue_assignee. */
export interface IssueMentionTable {
  issue_id: number
  user_id: number
  repo_id: number
  is_closed: Generated<Flag>
  is_pull: Generated<Flag>
  created_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    issue_sequence: IssueSequenceTable
    issue: IssueTable
    issue_label: IssueLabelTable
    issue_assignee: IssueAssigneeTable
    issue_mention: IssueMentionTable
  }
}
