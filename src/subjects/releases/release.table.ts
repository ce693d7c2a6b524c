import type { Generated } from 'kysely'
import type { Flag } from '../../db/flag.ts'

export interface ReleaseTable {
  id: Generated<number>
  repo_id: number
  /** Who created it; the account may be deleted. */
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

declare module '../../db/schema.ts' {
  interface Schema {
    release: ReleaseTable
  }
}
