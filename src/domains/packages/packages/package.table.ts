import type { Generated } from 'kysely'

/** A package of a user or an organization. No registry inserts rows yet. */
export interface PackageTable {
  id: Generated<number>
  owner_id: number
  /** The linked repository of the same owner; 0 without a link. */
  repo_id: Generated<number>
  /** The name of the registry, such as `npm` or `generic`. */
  type: string
  name: string
  /** Unique per owner and type. */
  lower_name: string
}

export interface PackageVersionTable {
  id: Generated<number>
  package_id: number
  /** The account that published it; may be deleted. */
  creator_id: number
  version: string
  /** Unique per package. */
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
