import type { Generated } from 'kysely'

/**
 * Append-only: the database refuses updates. Names are those at the time of the entry; rows do not reference other
 * tables.
 */
export interface AuditEntryTable {
  id: Generated<number>
  /** The time of the change, in epoch milliseconds. */
  created_at: number
  /** The action, for example `token.created`. */
  action: string
  outcome: 'failed' | 'succeeded'
  /** 0 and empty without an account. */
  actor_id: number
  actor_name: string
  lower_actor_name: string
  /** The administrator who used sudo to act as the actor; 0 and empty without sudo. */
  sudo_by_id: number
  sudo_by_name: string
  /** A kind of `RequestCredential`; `none` for work outside of a request. */
  credential: string
  credential_id: number
  credential_name: string
  address: string
  user_agent: string
  /** The kind of the target, for example `user` or `repository`. */
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
