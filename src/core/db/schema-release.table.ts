/** One row with versions of Ingot, such as `26.11.0`. */
export interface SchemaReleaseTable {
  id: number
  /** The oldest release that can run on this schema. */
  oldest: string
  /** The newest release that has migrated it. */
  newest: string
}

declare module './schema.ts' {
  interface Schema {
    schema_release: SchemaReleaseTable
  }
}
