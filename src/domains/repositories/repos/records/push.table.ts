import type { Generated } from 'kysely'

/** A branch as the last push left it. Refs on disk are authoritative; `repo.reconcile` corrects these rows. */
export interface BranchTable {
  id: Generated<number>
  repo_id: number
  name: string
  oid: string
  pusher_id: number
  /** A `CredentialRestriction` of the push, as JSON; empty for none. */
  pusher_restriction: Generated<string>
  updated_at: number
}

export interface PushTable {
  id: Generated<number>
  repo_id: number
  pusher_id: number
  ref: string
  old_oid: string
  new_oid: string
  created_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    branch: BranchTable
    push: PushTable
  }
}
