import type { Generated } from 'kysely'
import type { OriginalAuthorColumns } from '../../../core/db/original-author.ts'

/** A reaction of a user to an issue, or to one of its comments. */
export interface ReactionTable extends OriginalAuthorColumns {
  id: Generated<number>
  issue_id: number
  /** Null for a reaction to the issue itself. */
  comment_id: number | null
  /** For an imported reaction without an account: the user of the import. */
  user_id: number
  content: string
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    reaction: ReactionTable
  }
}
