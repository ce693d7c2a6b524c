import type { Generated } from 'kysely'

/** One state of the indexes of a type of an owner. */
export interface PackageIndexTable {
  id: Generated<number>
  owner_id: number
  type: string
  /** The state of the packages and of the key from which it was generated. */
  state: string
  /** 1 when all files are there. */
  is_complete: Generated<number>
}

export interface PackageIndexFileTable {
  id: Generated<number>
  index_id: number
  /** The path below the registry; unique within the index. */
  name: string
  size: number
  md5: string
  sha1: string
  /** The name of the blob. */
  sha256: string
  sha512: string
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    package_index: PackageIndexTable
    package_index_file: PackageIndexFileTable
  }
}
