import type { Generated } from 'kysely'

/** A blob of a file that is stored in the blocks in which it was sent. */
export interface ActionStoredBlockTable {
  id: Generated<number>
  /** The name of the list, which the row of the artifact or the cache has in place of the hash of a blob. */
  file: string
  /** The offset of its first byte in the file. */
  position: number
  hash: string
  /** Bytes. */
  size: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    action_stored_block: ActionStoredBlockTable
  }
}
