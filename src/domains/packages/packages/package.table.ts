import type { Generated } from 'kysely'

/** A package of a user or an organization. No registry makes rows yet. */
export interface PackageTable {
  id: Generated<number>
  owner_id: number
  /** The repository of the same owner that it is linked to; 0 for none. */
  repo_id: Generated<number>
  /** Of the registry: `npm`, `generic` and so on. */
  type: string
  name: string
  /** Unique for owner and type. */
  lower_name: string
}

export interface PackageVersionTable {
  id: Generated<number>
  package_id: number
  /** The account that published it, which may have been deleted since. */
  creator_id: number
  version: string
  /** Unique for the package. */
  lower_version: string
  created_at: number
}

export interface PackageFileTable {
  id: Generated<number>
  version_id: number
  name: string
  /** Bytes. */
  size: number
  md5: string
  sha1: string
  sha256: string
  sha512: string
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    package: PackageTable
    package_version: PackageVersionTable
    package_file: PackageFileTable
  }
}
