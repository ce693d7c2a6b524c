import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'
import type { OriginalAuthorColumns } from '../../../core/db/original-author.ts'

export interface ReleaseTable extends OriginalAuthorColumns {
  id: Generated<number>
  repo_id: number
  /** Account that created the release; it may be deleted. */
  publisher_id: number
  tag_name: string
  lower_tag_name: string
  /** The branch or commit to create the tag at, as the client sent it. */
  target: Generated<string>
  title: Generated<string>
  body: Generated<string>
  is_draft: Generated<Flag>
  is_prerelease: Generated<Flag>
  hide_archive_links: Generated<Flag>
  /** Epoch milliseconds of the publication; for drafts, of the creation. */
  created_at: number
  updated_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    release: ReleaseTable
  }
}
