import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** Where a comment of a review is in the diff. Its text is that of the entry of the timeline. */
export interface ReviewCommentTable {
  entry_id: number
  review_id: number
  pull_id: number
  /** The name of the file in the head, or in the merge base when the head lacks it. */
  path: string
  /** See `DiffSide`. */
  side: string
  /** The line that the comment is shown below, and the first line that it is about. */
  line: number
  start_line: number
  /** The head and the merge base that path and lines belong to. */
  commit_oid: string
  base_oid: string
  /** The commit that changed the line last; empty where git found none. */
  line_commit_oid: Generated<string>
  diff_hunk: Generated<string>
  is_outdated: Generated<Flag>
  /** 0 for none. The row may be gone: the account was deleted. */
  resolver_id: Generated<number>
  /** The entry that this one answers; 0 for none. The entry may be gone. */
  reply_to: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    review_comment: ReviewCommentTable
  }
}

/** A review of a pull request, or a request for one. Times are epoch milliseconds. */
export interface ReviewTable {
  id: Generated<number>
  pull_id: number
  issue_id: number
  /** See `ReviewKind`. */
  kind: string
  /** 0 for the request of a team. The row may be gone: the account was deleted. */
  reviewer_id: Generated<number>
  /** Of a request; 0 for a person. The row may be gone. */
  team_id: Generated<number>
  body: Generated<string>
  /** The commit that was reviewed; empty for a request. */
  commit_oid: Generated<string>
  is_official: Generated<Flag>
  is_stale: Generated<Flag>
  is_dismissed: Generated<Flag>
  /** Of an approval: the base that it was given for; empty for the one that the pull request has. */
  former_base: Generated<string>
  /** The entry of the timeline, which has no reference: 0 for none, and the entry may be gone. */
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
