import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'
import type { OriginalAuthorColumns } from '../../../core/db/original-author.ts'

/** The position of a review comment in the diff. Its text is that of its timeline entry. */
export interface ReviewCommentTable {
  entry_id: number
  review_id: number
  pull_id: number
  /** The name of the file in the head, or in the merge base when the head lacks it. */
  path: string
  /** See `DiffSide`. */
  side: string
  /** The line that the comment is shown below, and the first line that it refers to. */
  line: number
  start_line: number
  /** The head and the merge base that path and lines refer to. */
  commit_oid: string
  base_oid: string
  /** The commit that last changed the line; empty when git found none. */
  line_commit_oid: Generated<string>
  diff_hunk: Generated<string>
  is_outdated: Generated<Flag>
  /** 0 for none. The account may have been deleted. */
  resolver_id: Generated<number>
  /** The entry that this one replies to; 0 for none. The entry may have been deleted. */
  reply_to: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    review_comment: ReviewCommentTable
  }
}

/** A review of a pull request, or a request for one. Times are epoch milliseconds. */
export interface ReviewTable extends OriginalAuthorColumns {
  id: Generated<number>
  pull_id: number
  issue_id: number
  /** See `ReviewKind`. */
  kind: string
  /** 0 for a team's request. The account may have been deleted. */
  reviewer_id: Generated<number>
  /** The requested team; 0 for a user. The team may have been deleted. */
  team_id: Generated<number>
  body: Generated<string>
  /** The commit that was reviewed; empty for a request. */
  commit_oid: Generated<string>
  is_official: Generated<Flag>
  is_stale: Generated<Flag>
  is_dismissed: Generated<Flag>
  /** The base that was approved; empty when the pull request still has it. */
  former_base: Generated<string>
  /** The timeline entry, without a foreign key: 0 for none, and the entry may have been deleted. */
  entry_id: Generated<number>
  created_at: number
  updated_at: number
  /** 0 for a pending review and a request. */
  submitted_at: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    review: ReviewTable
  }
}
