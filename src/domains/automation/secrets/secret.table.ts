import type { Generated } from 'kysely'

/** A secret of the Actions of a repository or of an account: exactly one of the two ids is set. */
export interface ActionsSecretTable {
  id: Generated<number>
  repo_id: number | null
  owner_id: number | null
  /** The name in upper case; unique per owner. */
  name: string
  description: Generated<string>
  /** Encrypted. */
  value: string
  created_at: number
  updated_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    actions_secret: ActionsSecretTable
  }
}
