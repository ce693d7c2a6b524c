import type { Generated } from 'kysely'
import type { Flag } from '../../../../core/db/flag.ts'

/** A reference that an issue, a pull request or a comment on one contains. */
export interface CrossReferenceTable {
  source_issue_id: number
  /** 0 when the title or body of the issue contains it. */
  source_comment_id: Generated<number>
  /** The referenced issue. */
  issue_id: number
  /** The entry in the timeline of the referenced issue. */
  entry_id: number
  /** `none`, `closes` or `reopens`. */
  action: string
  /** The author of the keyword; 0 for the author of the entry. */
  author_id: Generated<number>
  /** A `CredentialRestriction` of the author, as JSON; empty for none. */
  restriction: Generated<string>
}

/** A commit that refers to an issue. */
export interface CommitReferenceTable {
  issue_id: number
  oid: string
  /** The entry in the timeline of the issue. */
  entry_id: number
  /** The keyword in the message of the commit has closed or reopened the issue, or could not. */
  is_settled: Generated<Flag>
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    cross_reference: CrossReferenceTable
    commit_reference: CommitReferenceTable
  }
}
