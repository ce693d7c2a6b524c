import type { Generated } from 'kysely'
import type { Flag } from '../../../../core/db/flag.ts'

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

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    review: ReviewTable
  }
}
