import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** A directory or identity provider outside of the server that knows accounts and checks who signs in. */
export interface SignInSourceTable {
  id: Generated<number>
  kind: string
  name: string
  /** Unique. */
  lower_name: string
  is_active: Generated<Flag>
  /** JSON of the settings of its kind, encrypted. */
  settings: Generated<string>
  /** Epoch milliseconds at which the last synchronization ended; 0 before the first one. */
  synchronized_at: Generated<number>
  /** JSON of its report. */
  sync_report: Generated<string>
  created_at: number
  updated_at: number
}

/** An account with the identity that it has at a source: one per account and source. */
export interface ExternalIdentityTable {
  source_id: number
  /** The identifier of the person at the source, which never changes. */
  subject: string
  user_id: number
  /** The last known name at the source. */
  login_name: Generated<string>
  created_at: number
  /** Epoch milliseconds of the last sign-in or synchronization that found it at the source. */
  seen_at: Generated<number>
  /** Epoch milliseconds at which a synchronization deactivated the account; 0 if it did not. */
  gone_at: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    sign_in_source: SignInSourceTable
    external_identity: ExternalIdentityTable
  }
}
