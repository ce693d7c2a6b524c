import type { Generated } from 'kysely'

/** Objects that `ingot import server` has imported. */
export interface ServerImportTable {
  /** The address of the other server. */
  source: string
  /** Such as `account` or `stars`; `collaborators 7` for each of the collaborators of repository 7. */
  kind: string
  /** The id of the object, or of the object that it belongs to, at the source; of access, a name or fingerprint. */
  source_id: string
  /** Its name on this server. */
  target: string
  /** SHA-256 of the value that was read when it was written. */
  fingerprint: Generated<string>
  /** SHA-256 of the copy when the import of its repository had ended; empty if it has not. */
  target_fingerprint: Generated<string>
  /** `begun`: the name was free, and the object may exist. */
  state: 'begun' | 'done'
  /** The import of a repository that runs or ran last; 0 for none. */
  import_id: Generated<number>
  /** When the last import of a repository began to read, and when it had ended, in epoch milliseconds. */
  read_at: Generated<number>
  written_at: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    server_import: ServerImportTable
  }
}
