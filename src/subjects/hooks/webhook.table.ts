import type { Generated } from 'kysely'
import type { Flag } from '../../db/flag.ts'

/** The owner of a webhook: a default one is copied into each new repository and is never delivered itself. */
export type HookScope = 'repository' | 'organization' | 'user' | 'system' | 'default'

export interface WebhookTable {
  id: Generated<number>
  scope: HookScope
  /** Of scope `repository`. */
  repo_id: number | null
  /** Of the scopes `organization` and `user`. */
  owner_id: number | null
  /** What the receiver understands: `gitea`, `slack` and so on. */
  type: string
  name: Generated<string>
  url: string
  content_type: 'json' | 'form'
  /** Sealed; empty for none. */
  secret: Generated<string>
  /** Sealed; empty for none. */
  authorization_header: Generated<string>
  /** JSON array of flags, see hook-events.policy.ts. */
  events: Generated<string>
  branch_filter: Generated<string>
  /** JSON: what the type asks for beyond an address. */
  settings: Generated<string>
  is_active: Generated<Flag>
  created_at: number
  updated_at: number
}

declare module '../../db/schema.ts' {
  interface Schema {
    webhook: WebhookTable
  }
}
