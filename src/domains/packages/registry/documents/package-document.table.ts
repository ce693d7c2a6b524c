import type { Generated } from 'kysely'

/** A long text that is generated from a whole package. */
export interface PackageDocumentTable {
  id: Generated<number>
  package_id: number
  /** Name that the format chooses; unique per package. */
  name: string
  /** `package.revision` from which it was generated. */
  revision: number
  /** Other data that it contains, such as the address of the registry. */
  basis: string
  /** The name of the blob. */
  sha256: string
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    package_document: PackageDocumentTable
  }
}
