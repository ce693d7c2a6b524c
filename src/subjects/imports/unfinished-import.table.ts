/** Git data on disk of an import that has no repository yet. */
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
