import type { Generated } from 'kysely'

/** The blocker is a user or an organization, the blocked account a user. */
export interface UserBlockTable {
  blocker_id: number
  blocked_id: number
  /** Visible to the blocker alone. */
  note: Generated<string>
  created_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    user_block: UserBlockTable
  }
}
