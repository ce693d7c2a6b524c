import type { Generated } from 'kysely'
import type { Flag } from './flag.ts'

export interface ReleaseTable {
  id: Generated<number>
  repo_id: number
  /** Who made it; the account may have gone. */
  publisher_id: number
  tag_name: string
  lower_tag_name: string
  /** What the tag was or will be made at, as the client said it. */
  target: Generated<string>
  title: Generated<string>
  body: Generated<string>
  is_draft: Generated<Flag>
  is_prerelease: Generated<Flag>
  hide_archive_links: Generated<Flag>
  /** Epoch milliseconds of the publication (of the draft's creation before). */
  created_at: number
  updated_at: number
}

/** Downloads of the archives of a tag. */
export interface ArchiveDownloadTable {
  repo_id: number
  tag: string
  zip: Generated<number>
  tar_gz: Generated<number>
}

/** A file that was uploaded to a release, an issue or a comment; 0 stands for "not of one". */
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
  /** Of the blob; empty for a link to another server. */
  hash: Generated<string>
  external_url: Generated<string>
  download_count: Generated<number>
  created_at: number
}
