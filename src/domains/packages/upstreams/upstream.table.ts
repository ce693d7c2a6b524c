import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** A registry of another server whose packages an owner's registry serves too. */
export interface PackageUpstreamTable {
  id: Generated<number>
  owner_id: number
  /** A value of `package.type`; unique per owner. */
  type: string
  /** The address, without a trailing slash. */
  url: string
  /** Sealed: the value of the header Authorization; empty for none. */
  credentials: string
  /** JSON: patterns of names, in which `*` stands for any characters; an empty list allows all. */
  allowed: string
  /** Younger versions are omitted; 0 for no minimum. */
  min_age_days: number
  /** Only stored copies are served. */
  is_offline: Flag
  created_at: number
  updated_at: number
}

/** A stored copy of a file or a document of an upstream. */
export interface PackageUpstreamFileTable {
  id: Generated<number>
  upstream_id: number
  /** Key that the format chooses; unique per upstream. */
  key: string
  /** Bytes. */
  size: number
  md5: string
  sha1: string
  /** The name of the blob. */
  sha256: string
  sha512: string
  /** The blob of a document as the upstream sent it; that of a file is its own. */
  source_sha256: string
  /**
   * Other data from which the document was generated: the age that versions must have and the address of the registry.
   */
  basis: string
  /** The ETag that the upstream sent, for conditional requests; empty for none. */
  etag: string
  last_modified: string
  /** When the upstream was last asked; epoch milliseconds. */
  fetched_at: number
  /** The last day on which it was read; epoch milliseconds. */
  used_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    package_upstream: PackageUpstreamTable
    package_upstream_file: PackageUpstreamFileTable
  }
}
