import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** Kind of owner. Webhooks of scope `default` are copied to each new repository and never delivered themselves. */
export type HookScope = 'repository' | 'organization' | 'user' | 'system' | 'default'

export interface WebhookTable {
  id: Generated<number>
  scope: HookScope
  /** Set if the scope is `repository`. */
  repo_id: number | null
  /** Set if the scope is `organization` or `user`. */
  owner_id: number | null
  /** Payload format of the receiver: `gitea`, `slack` and so on. */
  type: string
  name: Generated<string>
  url: string
  content_type: 'json' | 'form'
  /** Sealed; empty for none. */
  secret: Generated<string>
  /** Sealed; empty for none. */
  authorization_header: Generated<string>
  /** JSON array of flags, see hooks.policy.ts. */
  events: Generated<string>
  branch_filter: Generated<string>
  /** JSON object: options of the type, such as the channel of `slack`. */
  settings: Generated<string>
  is_active: Generated<Flag>
  created_at: number
  updated_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    webhook: WebhookTable
  }
}
