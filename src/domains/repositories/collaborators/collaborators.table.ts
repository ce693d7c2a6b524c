import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

export interface CollaborationTable {
  repo_id: number
  user_id: number
  mode: number
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    collaboration: CollaborationTable
  }
}

export interface DeployKeyTable {
  id: Generated<number>
  key_id: number
  repo_id: number
  title: string
  comment: Generated<string>
  is_read_only: Generated<Flag>
  created_at: number
  last_used_at: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    deploy_key: DeployKeyTable
  }
}
