/** An import that has written git data but has no repository row yet. */
interface UnfinishedImportTable {
  storage: string
  /** Epoch milliseconds. */
  started_at: number
}

declare module '../../db/schema.ts' {
  interface Schema {
    unfinished_import: UnfinishedImportTable
  }
}
