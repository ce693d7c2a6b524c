import type { Generated } from 'kysely'

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

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    former_text: FormerTextTable
  }
}
