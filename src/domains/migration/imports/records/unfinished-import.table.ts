import type { Generated } from 'kysely'

/** An import that has written git data but has no repository row yet. */
export interface UnfinishedImportTable {
  storage: string
  /** Epoch milliseconds. */
  started_at: number
  /** The process that imports (`Members.self`); empty in rows of earlier releases. */
  holder: Generated<string>
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    unfinished_import: UnfinishedImportTable
  }
}
