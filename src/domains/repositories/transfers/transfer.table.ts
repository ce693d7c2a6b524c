import type { Generated } from 'kysely'

/** A transfer that the recipient has not accepted yet. */
export interface RepoTransferTable {
  repo_id: number
  doer_id: number
  recipient_id: number
  /** JSON array of the teams that will get the repository. */
  team_ids: Generated<string>
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    repo_transfer: RepoTransferTable
  }
}
