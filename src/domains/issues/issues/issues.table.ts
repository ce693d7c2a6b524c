import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'
import type { OriginalAuthorColumns } from '../../../core/db/original-author.ts'

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
  /** The account that replaced the text; 0 for none. The account may have been deleted. */
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

/** The last allocated number of the issues and pull requests of a repository. */
export interface IssueSequenceTable {
  repo_id: number
  last: number
}

/** An issue or a pull request. Times are epoch milliseconds. */
export interface IssueTable extends OriginalAuthorColumns {
  id: Generated<number>
  repo_id: number
  /** Unique within the repository; never reused. */
  number: number
  is_pull: Generated<Flag>
  is_closed: Generated<Flag>
  /** The account may have been deleted. */
  poster_id: number
  title: string
  /** Any text from the author, usually the name of a branch. */
  ref: Generated<string>
  /** 0 for none. */
  milestone_id: Generated<number>
  /** 0 for none. */
  due_at: Generated<number>
  /** The number of comments, plus `reviews_counted`. */
  comments_count: Generated<number>
  /** The number of published reviews of a pull request at the time of its latest comment. */
  reviews_counted: Generated<number>
  is_locked: Generated<Flag>
  /** The position among the pinned issues, from 1; 0 if not pinned. */
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
  /** The order in which assignees are shown. */
  position: number
  repo_id: number
  is_closed: Generated<Flag>
  is_pull: Generated<Flag>
  created_at: number
}

/** A user whom an issue or one of its comments mentions; the copied columns are those of issue_assignee. */
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
 * A searchable text of an issue. On SQLite triggers copy it into the full-text index `issue_text_index` once
 * `is_indexed` is set; on PostgreSQL it has a trigram index.
 */
export interface IssueTextTable {
  id: Generated<number>
  issue_id: number
  /**
   * -1 for the title, 0 for the body, otherwise the id of the entry: a comment, a review comment, or the text of a
   * review.
   */
  part: number
  /** The repository of the issue; changes with a transfer. */
  repo_id: number
  /** The result of `foldText`; never empty. */
  text: string
  /** SQLite: 0 while the text waits for its batch and searches scan it; otherwise 1. */
  is_indexed: Generated<0 | 1>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    issue_text: IssueTextTable
  }
}

/** An entry of the timeline of an issue: a comment or an event. Comments and events share one sequence of ids. */
export interface TimelineEntryTable extends OriginalAuthorColumns {
  id: Generated<number>
  issue_id: number
  /** The repository of the issue; changes with a transfer. */
  repo_id: number
  /** The API's name of the type (behaviour/issues#timeline). */
  kind: string
  /** 0 for none. The account may have been deleted. */
  actor_id: number
  /** The subject of the entry, by kind: a label, an assignee, another issue; 0 for none. */
  target_id: Generated<number>
  created_at: number
  updated_at: number
  /** JSON of the further data of the kind, see `EntryPayloads`; empty for none. */
  payload: Generated<string>
  /** The text of a comment, or the `body` of an event in the API. */
  body: Generated<string>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    timeline_entry: TimelineEntryTable
  }
}

/** The former number of a transferred issue in another repository. */
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
