import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** A client of the OAuth2 provider. */
export interface OauthApplicationTable {
  id: Generated<number>
  /** Null for built-in applications. */
  user_id: number | null
  /** The configuration name that enables a built-in application; empty for applications of users. */
  built_in: Generated<string>
  name: string
  client_id: string
  /** SHA-256, in hex, of a secret of 256 random bits; empty without a secret. */
  secret_hash: Generated<string>
  /** JSON array. */
  redirect_uris: Generated<string>
  is_confidential: Generated<Flag>
  skips_consent: Generated<Flag>
  created_at: number
  updated_at: number
}

/** The consent of a user to an application; deleting it revokes its tokens. */
export interface OauthGrantTable {
  id: Generated<number>
  application_id: number
  user_id: number
  /** The scopes as requested, separated by spaces. */
  scope: Generated<string>
  created_at: number
  updated_at: number
}

/** The refresh tokens issued from one code: each replaces the previous one. */
export interface OauthChainTable {
  id: Generated<number>
  grant_id: number
  /** The counter of the refresh token that is valid at present. */
  counter: Generated<number>
  rotated_at: number
  expires_at: number
}

export interface OauthCodeTable {
  /** SHA-256 of the code, in hex. */
  code_hash: string
  grant_id: number
  redirect_uri: string
  challenge: Generated<string>
  challenge_method: Generated<string>
  nonce: Generated<string>
  expires_at: number
  /** The chain that was issued for the code; 0 until the code is used. */
  chain_id: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    oauth_application: OauthApplicationTable
    oauth_chain: OauthChainTable
    oauth_code: OauthCodeTable
    oauth_grant: OauthGrantTable
  }
}

/** Generated once for the whole installation. */
export interface SigningKeyTable {
  purpose: string
  key_id: string
  /** PKCS #8, encrypted. */
  private_key: string
  /** JSON Web Key. */
  public_key: string
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    signing_key: SigningKeyTable
  }
}
