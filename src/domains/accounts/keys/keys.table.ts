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
  /** 0: the key never expires. */
  expires_at: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    gpg_key: GpgKeyTable
  }
}

export interface PublicKeyTable {
  id: Generated<number>
  /** `SHA256:` and unpadded base64. */
  fingerprint: string
  /** The algorithm, for example `ssh-ed25519`. */
  algorithm: string
  /** The key in SSH wire form, base64. */
  blob: string
  kind: 'user' | 'deploy'
}

export interface UserKeyTable {
  id: Generated<number>
  key_id: number
  user_id: number
  title: string
  comment: Generated<string>
  /** The sign-in source that gave the key and alone changes it; 0 for keys that users added. */
  source_id: Generated<number>
  created_at: number
  last_used_at: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    public_key: PublicKeyTable
    user_key: UserKeyTable
  }
}
