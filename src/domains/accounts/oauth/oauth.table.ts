import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** A client of the OAuth2 provider. */
export interface OauthApplicationTable {
  id: Generated<number>
  /** Null for the built-in ones. */
  user_id: number | null
  /** The name by which the configuration switches a built-in one on; empty for those of users. */
  built_in: Generated<string>
  name: string
  client_id: string
  /** SHA-256 in hex of a secret of 256 random bits; empty without one. */
  secret_hash: Generated<string>
  /** JSON array. */
  redirect_uris: Generated<string>
  is_confidential: Generated<Flag>
  skips_consent: Generated<Flag>
  created_at: number
  updated_at: number
}

/** What a user let an application do; its tokens live and die with it. */
export interface OauthGrantTable {
  id: Generated<number>
  application_id: number
  user_id: number
  /** As asked for, separated by spaces. */
  scope: Generated<string>
  created_at: number
  updated_at: number
}

/** The refresh tokens that follow from one code: each takes the place of the one before. */
export interface OauthChainTable {
  id: Generated<number>
  grant_id: number
  /** Of the refresh token that is valid now. */
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
  /** The chain that was issued for it; 0 until it is used. */
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

/** Made once for the whole installation. */
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
