import type { Generated } from 'kysely'

/** A file of a release, an issue or a comment; an id of 0 means "none". */
export interface AttachmentTable {
  id: Generated<number>
  uuid: string
  repo_id: number
  release_id: Generated<number>
  issue_id: Generated<number>
  comment_id: Generated<number>
  uploader_id: number
  name: string
  /** Bytes. */
  size: Generated<number>
  /** The hash of the blob; empty for a link to another server. */
  hash: Generated<string>
  external_url: Generated<string>
  download_count: Generated<number>
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    attachment: AttachmentTable
  }
}
