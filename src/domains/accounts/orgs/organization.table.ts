import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

export interface OrgMemberTable {
  org_id: number
  user_id: number
  is_public: Generated<Flag>
  joined_at: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    org_member: OrgMemberTable
  }
}
