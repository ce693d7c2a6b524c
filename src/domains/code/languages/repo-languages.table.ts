import type { Generated } from 'kysely'

interface RepoLanguagesTable {
  repo_id: number
  /** The commit that was counted; empty for an empty repository. */
  oid: string
  /** JSON: bytes by language, largest first. */
  bytes: Generated<string>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    repo_languages: RepoLanguagesTable
  }
}
