import type { Generated } from 'kysely'

/** A package of a user or an organization. */
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
  /** JSON of the format, such as the dist-tags of npm; empty for none. */
  metadata: Generated<string>
  /** Increases with every change of the package, its versions and files. */
  revision: Generated<number>
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
  /** JSON of the format: the members of the version that its index shows; empty for none. */
  metadata: Generated<string>
  download_count: Generated<number>
}

export interface PackageFileTable {
  id: Generated<number>
  version_id: number
  /** Unique per version. */
  name: string
  /** Bytes. */
  size: number
  md5: string
  sha1: string
  /** The name of the blob. */
  sha256: string
  sha512: string
  /** JSON of the format; empty for none. */
  metadata: Generated<string>
  /** Epoch milliseconds; 0 in rows of earlier releases. */
  created_at: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    package: PackageTable
    package_version: PackageVersionTable
    package_file: PackageFileTable
  }
}
