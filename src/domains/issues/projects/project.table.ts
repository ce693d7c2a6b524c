import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

export type CardType = 'text_only' | 'images_and_text'
export type TemplateType = 'none' | 'basic_kanban' | 'bug_triage'

/** A project board of a repository or of an account: exactly one of the two ids is set. Times are epoch milliseconds. */
export interface ProjectTable {
  id: Generated<number>
  repo_id: number | null
  owner_id: number | null
  /** The account may have been deleted. */
  creator_id: number
  title: string
  description: Generated<string>
  template_type: TemplateType
  card_type: CardType
  is_closed: Generated<Flag>
  /** 0 while open. */
  closed_at: Generated<number>
  created_at: number
  updated_at: number
}

/** Every project has exactly one default column. */
export interface ProjectColumnTable {
  id: Generated<number>
  project_id: number
  /** The account may have been deleted. */
  creator_id: number
  title: string
  /** `#` and six hexadecimal digits, or empty. */
  color: Generated<string>
  is_default: Generated<Flag>
  /** A number from -128 to 127; columns with the same value are ordered by id. */
  sorting: number
  created_at: number
  updated_at: number
}

/** An issue or pull request in a column. `repo_id`, `is_pull` and `is_closed` are copies of the issue's. */
export interface ProjectIssueTable {
  project_id: number
  issue_id: number
  column_id: number
  /** Unique within the column; writers lock the project. */
  sorting: number
  repo_id: number
  is_pull: Generated<Flag>
  is_closed: Generated<Flag>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    project: ProjectTable
    project_column: ProjectColumnTable
    project_issue: ProjectIssueTable
  }
}
