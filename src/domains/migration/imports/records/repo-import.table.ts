import type { Generated } from 'kysely'
import type { Flag } from '../../../../core/db/flag.ts'

/** An import of a repository, also after its end. Times are epoch milliseconds. */
export interface RepoImportTable {
  id: Generated<number>
  /** The path of the git data. */
  storage: string
  /** While it runs, the id of the owner and the name in lower case, which no other import may have; then `storage`. */
  reserved_name: string
  state: 'running' | 'done' | 'failed' | 'canceled'
  /** Whether a job runs it, which continues after a restart. */
  is_async: Generated<Flag>
  /** Somebody wants it to stop. */
  is_canceled: Generated<Flag>
  actor_id: number
  /** Id of the owner of the new repository. */
  owner_id: number
  name: string
  /** 0 before its row is inserted, and after a failure. */
  repo_id: Generated<number>
  /** The phase and the cursor of the last step that was written. */
  phase: Generated<string>
  cursor: Generated<string>
  /** JSON: the number of items by phase. */
  done: Generated<string>
  /** JSON: the numbers that the service states. */
  total: Generated<string>
  /** JSON: the first warnings. */
  warnings: Generated<string>
  warnings_count: Generated<number>
  error: Generated<string>
  /** Encrypted JSON: the request, until the end of an asynchronous import. */
  request: Generated<string>
  created_at: number
  updated_at: number
  ended_at: Generated<number>
}

/** Ids of rows by the keys of the service, until the import is complete. */
export interface ImportKeyTable {
  repo_id: number
  kind: string
  key: string
  value: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    repo_import: RepoImportTable
    import_key: ImportKeyTable
  }
}
