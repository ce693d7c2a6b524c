import type { Generated } from 'kysely'

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

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    issue_text: IssueTextTable
  }
}
