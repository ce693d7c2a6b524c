import type { Generated } from 'kysely'

export interface AccessTokenTable {
  id: Generated<number>
  user_id: number
  name: string
  /** SHA-256 of the value, in hex: the value itself is 160 random bits and needs no salt. */
  token_hash: string
  last_eight: string
  /** Normalised, comma-separated. */
  scopes: string
  created_at: number
  last_used_at: Generated<number>
  /** 0: never. */
  expires_at: Generated<number>
  /** JSON array of the repositories a restricted token may reach, whether they still exist or not; empty: all. */
  only_repos: Generated<string>
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    access_token: AccessTokenTable
  }
}
