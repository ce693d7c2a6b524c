import type { Generated } from 'kysely'

/** A reaction of a user to an issue, or to one of its comments. */
export interface ReactionTable {
  id: Generated<number>
  issue_id: number
  /** Null for a reaction to the issue itself. */
  comment_id: number | null
  user_id: number
  content: string
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    reaction: ReactionTable
  }
}
