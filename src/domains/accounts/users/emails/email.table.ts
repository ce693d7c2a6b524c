import type { Generated } from 'kysely'
import type { Flag } from '../../../../core/db/flag.ts'

export interface EmailAddressTable {
  id: Generated<number>
  user_id: number
  email: string
  lower_email: string
  is_activated: Generated<Flag>
  is_primary: Generated<Flag>
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    email_address: EmailAddressTable
  }
}
