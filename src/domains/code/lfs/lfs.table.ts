import type { Generated } from 'kysely'

export interface LfsLinkTable {
  id: Generated<number>
  repo_id: number
  /** SHA-256, hex. */
  oid: string
  size: number
  created_at: number
}

export interface LfsLockTable {
  id: Generated<number>
  repo_id: number
  owner_id: number
  path: string
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    lfs_link: LfsLinkTable
    lfs_lock: LfsLockTable
  }
}
