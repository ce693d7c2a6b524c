import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

export interface AccessTokenTable {
  id: Generated<number>
  user_id: number
  name: string
  /** SHA-256 of the token, in hex: the token itself is 160 random bits and needs no salt. */
  token_hash: string
  last_eight: string
  /** Normalised, comma-separated. */
  scopes: string
  created_at: number
  last_used_at: Generated<number>
  /** 0: never expires. */
  expires_at: Generated<number>
  /**
   * JSON array of the ids of the repositories that a restricted token may access, including deleted ones; empty: all.
   */
  only_repos: Generated<string>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    access_token: AccessTokenTable
  }
}

export interface TwoFactorTable {
  user_id: number
  /** The shared secret, encrypted. */
  secret: string
  /** Set by the first correct code; before that no codes are required. */
  is_confirmed: Generated<Flag>
  /** The time step of the last used code; codes of this or earlier steps are refused. */
  last_step: Generated<number>
  created_at: number
}

export interface TwoFactorRecoveryTable {
  id: Generated<number>
  user_id: number
  /** SHA-256 in hex of a code of 80 random bits; the row is deleted when the code is used. */
  code_hash: string
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    two_factor: TwoFactorTable
    two_factor_recovery: TwoFactorRecoveryTable
  }
}

/** A browser that is signed in to the pages; the API does not accept it. */
export interface WebSessionTable {
  /** SHA-256 in hex of the value of the cookie, 256 random bits. */
  token_hash: string
  user_id: number
  created_at: number
  expires_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    web_session: WebSessionTable
  }
}

/** A key pair of an authenticator of a user; the private key stays in the authenticator. */
export interface PasskeyTable {
  id: Generated<number>
  user_id: number
  /** Chosen by the user. */
  name: string
  /** Chosen by the authenticator, in base64url. */
  credential_id: string
  /** COSE key, in base64url. */
  public_key: string
  /** How the browser reaches the authenticator, separated by commas. */
  transports: string
  /** Names the user to authenticators: random, the same for all passkeys of the user. */
  user_handle: string
  /** The number of signatures at the last use; always 0 from authenticators that do not count. */
  sign_count: Generated<number>
  created_at: number
  last_used_at: Generated<number>
}

/** Challenges that were used, until they expire: each works once. */
export interface UsedPasskeyChallengeTable {
  /** SHA-256 in hex. */
  challenge_hash: string
  expires_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    passkey: PasskeyTable
    used_passkey_challenge: UsedPasskeyChallengeTable
  }
}
