import type { Generated } from 'kysely'
import type { Flag } from '../../db/flag.ts'

/** Belongs to a repository or to an organization, for all repositories of which it may be used. */
export interface LabelTable {
  id: Generated<number>
  repo_id: number | null
  org_id: number | null
  /** Not unique. */
  name: string
  /** Six lower-case hexadecimal digits. */
  color: string
  description: Generated<string>
  is_exclusive: Generated<Flag>
  /** Epoch milliseconds; 0 when it is not archived. */
  archived_at: Generated<number>
  /** Issues and pull requests that have it. */
  issues_count: Generated<number>
  created_at: number
  updated_at: number
}

declare module '../../db/schema.ts' {
  interface Schema {
    label: LabelTable
  }
}
