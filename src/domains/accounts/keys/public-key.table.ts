import type { Generated } from 'kysely'

export interface PublicKeyTable {
  id: Generated<number>
  /** `SHA256:` and unpadded base64. */
  fingerprint: string
  /** `ssh-ed25519` and so on. */
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
  created_at: number
  last_used_at: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    public_key: PublicKeyTable
    user_key: UserKeyTable
  }
}
