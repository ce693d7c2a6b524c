import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

export interface GpgKeyTable {
  id: Generated<number>
  user_id: number
  /** 16 upper-case hex digits. */
  key_id: string
  /** The key id of the primary key; empty on a primary key. */
  primary_key_id: Generated<string>
  /** The bare public key packet, base64. */
  packet: string
  /** The whole key, on primary keys only. */
  armored: Generated<string>
  /** JSON: lower-case addresses of the key's identities, on primary keys only. */
  emails: Generated<string>
  can_sign: Generated<Flag>
  can_encrypt: Generated<Flag>
  /** The user has signed a token with the key. */
  is_verified: Generated<Flag>
  created_at: number
  /** 0: never. */
  expires_at: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    gpg_key: GpgKeyTable
  }
}
