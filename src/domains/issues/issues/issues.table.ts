import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** The issue or pull request `issue_id` cannot be closed while `depends_on_id` is open. */
export interface IssueDependencyTable {
  issue_id: number
  depends_on_id: number
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    issue_dependency: IssueDependencyTable
  }
}

/** A text of a comment or an issue before an edit. */
export interface FormerTextTable {
  id: Generated<number>
  issue_id: number
  /** Null for the body of the issue. */
  comment_id: number | null
  /** Who replaced the text; 0 for none. The row may be gone: the account was deleted. */
  editor_id: number
  /** Epoch milliseconds. */
  replaced_at: number
  body: string
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    former_text: FormerTextTable
  }
}

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

declare module '../../../core/db/schema.ts' {
  interface Schema {
    issue_sequence: IssueSequenceTable
    issue: IssueTable
    issue_label: IssueLabelTable
    issue_assignee: IssueAssigneeTable
    issue_mention: IssueMentionTable
  }
}

/**
 * A text of an issue that is searched. On SQLite triggers copy it into the full-text index `issue_text_index` once
 * `is_indexed` is set; on PostgreSQL it has a trigram index.
 */
export interface IssueTextTable {
  id: Generated<number>
  issue_id: number
  /**
   * -1 for the title, 0 for the body, else the id of the entry: a comment, one of a review, or the text of a review.
   */
  part: number
  /** Of the issue; changes when the issue is transferred. */
  repo_id: number
  /** As `foldText` returns it; never empty. */
  text: string
  /** SQLite: 0 while the text waits for its batch, in which searches look for it row by row. Else 1. */
  is_indexed: Generated<0 | 1>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    issue_text: IssueTextTable
  }
}

/** An entry of the timeline of an issue: a comment or an event. Comments and events share one sequence of ids. */
export interface TimelineEntryTable {
  id: Generated<number>
  issue_id: number
  /** Of the issue; changes when the issue is transferred. */
  repo_id: number
  /** The contract's name of the type (behaviour/issues#timeline). */
  kind: string
  /** 0 for none. The row may be gone: the account was deleted. */
  actor_id: number
  /** What the entry is about, by kind: a label, an assignee, another issue; 0 for none. */
  target_id: Generated<number>
  created_at: number
  updated_at: number
  /** JSON of the further facts of the kind, see `EntryPayloads`; empty for none. */
  payload: Generated<string>
  /** The text of a comment, or what the contract shows as `body` of an event. */
  body: Generated<string>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    timeline_entry: TimelineEntryTable
  }
}

/** The number that a transferred issue had in another repository. */
export interface IssueRedirectTable {
  repo_id: number
  number: number
  issue_id: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    issue_redirect: IssueRedirectTable
  }
}
