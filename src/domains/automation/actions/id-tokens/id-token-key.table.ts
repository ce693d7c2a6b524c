import type { Generated } from 'kysely'

/** A key that signs the ID tokens of jobs. */
export interface ActionIdTokenKeyTable {
  id: Generated<number>
  /** The `kid` of the tokens. */
  key_id: string
  /** PKCS #8 in PEM, encrypted. */
  private_key: string
  /** JSON Web Key. */
  public_key: string
  created_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    action_id_token_key: ActionIdTokenKeyTable
  }
}
