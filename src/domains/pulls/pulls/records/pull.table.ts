import type { Generated } from 'kysely'
import type { Flag } from '../../../../core/db/flag.ts'

/** The data of a pull request in addition to its issue. Times are epoch milliseconds. */
export interface PullTable {
  id: Generated<number>
  issue_id: number
  /** The repository of the issue. */
  base_repo_id: number
  base_branch: string
  /** 0 when the repository was deleted. */
  head_repo_id: number
  /** `{login in lower case}/{topic}`, which is not a ref, for an AGit pull request. */
  head_branch: string
  is_agit: Generated<Flag>
  /** The commit that `refs/pull/{number}/head` of the base repository points to. */
  head_oid: string
  /**
   * The best common ancestor of base and head; the tip of the base for unrelated histories. Constant after the merge.
   */
  merge_base: string
  /** The result of the last check, see `Mergeability`. */
  mergeability: Generated<string>
  /** The commits that the last check compared; empty before the first one. */
  checked_base_oid: Generated<string>
  checked_head_oid: Generated<string>
  /** JSON array of the conflicting paths; empty for none. */
  conflicts: Generated<string>
  /** Copy of the issue's column. */
  is_closed: Generated<Flag>
  /** The title begins with a prefix for work in progress. */
  is_draft: Generated<Flag>
  allows_maintainer_edit: Generated<Flag>
  is_merged: Generated<Flag>
  /** The tip of the base right after the merge; empty before. */
  merged_oid: Generated<string>
  /** The value of `Do` in the API; empty before the merge. */
  merge_style: Generated<string>
  /** 0 for none. The account may have been deleted. */
  merged_by_id: Generated<number>
  merged_at: Generated<number>
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    pull: PullTable
  }
}
