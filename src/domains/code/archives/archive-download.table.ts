import type { Generated } from 'kysely'

/** Downloads of the archives of a tag. */
interface ArchiveDownloadTable {
  repo_id: number
  tag: string
  zip: Generated<number>
  tar_gz: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    archive_download: ArchiveDownloadTable
  }
}
