import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** A milestone of a repository. Times are epoch milliseconds. */
export interface MilestoneTable {
  id: Generated<number>
  repo_id: number
  /** Trimmed; not unique, and of any length. */
  title: string
  /** Used by searches. */
  lower_title: string
  description: Generated<string>
  is_closed: Generated<Flag>
  /** `NO_DUE_DATE` without a due date: these milestones are first in lists. */
  due_at: number
  /** Issues and pull requests that have the milestone. */
  open_issues: Generated<number>
  closed_issues: Generated<number>
  created_at: number
  updated_at: number
  /** 0 if open. */
  closed_at: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    milestone: MilestoneTable
  }
}
