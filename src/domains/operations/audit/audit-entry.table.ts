import type { Generated } from 'kysely'

/** Append-only: the database refuses updates. Names are those at the time; nothing refers to other rows. */
export interface AuditEntryTable {
  id: Generated<number>
  /** When it happened, in epoch milliseconds. */
  created_at: number
  /** Such as `token.created`. */
  action: string
  outcome: 'failed' | 'succeeded'
  /** 0 and empty for no account. */
  actor_id: number
  actor_name: string
  lower_actor_name: string
  /** The administrator who acted as the actor; 0 and empty for none. */
  sudo_by_id: number
  sudo_by_name: string
  /** A kind of `RequestCredential`; `none` for work that is no request. */
  credential: string
  credential_id: number
  credential_name: string
  address: string
  user_agent: string
  /** Such as `user` or `repository`. */
  target_kind: string
  target_id: number
  target_name: string
  lower_target_name: string
  /** JSON object. */
  details: string
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    audit_entry: AuditEntryTable
  }
}
