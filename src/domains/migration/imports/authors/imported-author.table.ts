/** The author at another service of objects that an administrator imported, until an account is linked to it. */
export interface ImportedAuthorTable {
  repo_id: number
  /** Scheme and host of the service. */
  origin: string
  /** The id at the service. */
  author_id: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    imported_author: ImportedAuthorTable
  }
}
