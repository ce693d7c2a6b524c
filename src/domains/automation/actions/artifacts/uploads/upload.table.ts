import type { Generated } from 'kysely'

/** The protocol of an artifact, or a cache entry. */
export type UploadKind = 'v3' | 'v4' | 'cache'

/** A file that a job sends in blocks; deleted when it is complete. Times are epoch milliseconds. */
export interface ActionUploadTable {
  id: Generated<number>
  repo_id: number
  task_id: number
  kind: UploadKind
  /** The name of the artifact, or the key of the cache entry. */
  name: string
  /** The path of a file of a v3 artifact, or the version of a cache entry. */
  variant: Generated<string>
  /** `gzip` for compressed data, otherwise empty. */
  encoding: Generated<string>
  mime_type: Generated<string>
  /** 0: after the time that the setting states. */
  expires_at: Generated<number>
  /** A JSON list of the names of its blocks, in order; empty: the blocks are ordered by position. */
  listed: Generated<string>
  /** The number of blocks. */
  blocks: Generated<number>
  /** Bytes of all blocks. */
  size: Generated<number>
  created_at: number
  updated_at: number
}

/** Bytes of an upload that were received. */
export interface ActionUploadBlockTable {
  upload_id: number
  /** Given by the client, unique in the upload. */
  name: string
  /** The offset of the first byte; without meaning for blocks that a list orders. */
  position: number
  hash: string
  /** Bytes. */
  size: number
}

declare module '../../../../../core/db/schema.ts' {
  interface Schema {
    action_upload: ActionUploadTable
    action_upload_block: ActionUploadBlockTable
  }
}
