import type { Generated } from 'kysely'

/** A long text that is made of a whole package. */
export interface PackageDocumentTable {
  id: Generated<number>
  package_id: number
  /** Name that the format chooses; unique per package. */
  name: string
  /** `package.revision` that it was made of. */
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
