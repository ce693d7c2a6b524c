import type { Generated } from 'kysely'

/** Who wants nothing to do with whom; the blocker is a user or an organization, the blocked one a user. */
export interface UserBlockTable {
  blocker_id: number
  blocked_id: number
  /** For the blocker alone. */
  note: Generated<string>
  created_at: number
}

declare module '../../../db/schema.ts' {
  interface Schema {
    user_block: UserBlockTable
  }
}
