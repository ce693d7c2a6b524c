import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** A label of a repository, or of an organization, which every repository of the organization may use. */
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
  /** Epoch milliseconds; 0 if not archived. */
  archived_at: Generated<number>
  /** The number of issues and pull requests that have the label. */
  issues_count: Generated<number>
  created_at: number
  updated_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    label: LabelTable
  }
}
