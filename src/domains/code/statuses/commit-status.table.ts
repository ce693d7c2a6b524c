import type { Generated } from 'kysely'
import type { StatusState } from '../protections/protections.policy.ts'

export interface CommitStatusTable {
  id: Generated<number>
  repo_id: number
  oid: string
  /** Counts from 1 for each commit. */
  number: number
  state: StatusState
  context: string
  description: string
  target_url: string
  /** The account may have been deleted. */
  creator_id: number
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    commit_status: CommitStatusTable
  }
}
