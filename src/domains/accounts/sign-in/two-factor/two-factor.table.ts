import type { Generated } from 'kysely'
import type { Flag } from '../../../../core/db/flag.ts'

export interface TwoFactorTable {
  user_id: number
  /** The shared secret, encrypted. */
  secret: string
  /** Set by the first right code; until then nothing asks for codes. */
  is_confirmed: Generated<Flag>
  /** The time step of the last code that was used: none before it is taken again. */
  last_step: Generated<number>
  created_at: number
}

export interface TwoFactorRecoveryTable {
  id: Generated<number>
  user_id: number
  /** SHA-256 in hex of a code of 80 random bits; the row is deleted when the code is used. */
  code_hash: string
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    two_factor: TwoFactorTable
    two_factor_recovery: TwoFactorRecoveryTable
  }
}
