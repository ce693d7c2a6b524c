import type { Generated } from 'kysely'

/** A text, stored once for all repositories that have it. */
interface CodeBlobTable {
  id: Generated<number>
  oid: string
  /** Bytes of the text. */
  size: number
  /** Compressed on SQLite. */
  text: string | Uint8Array
}

/** A file of a default branch. */
interface CodeFileTable {
  repo_id: number
  path: string
  oid: string
  /** Null for a file that is not searched: binary, generated or vendored. */
  blob_id: number | null
  /** Empty if unknown. */
  language: string
}

interface CodeRepoTable {
  repo_id: number
  /** The commit whose files are the rows of the repository; empty while they change. */
  oid: string
  branch: string
  /** 1 if files were omitted because of a limit of the index. */
  is_partial: 0 | 1
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    code_blob: CodeBlobTable
    code_file: CodeFileTable
    code_repo: CodeRepoTable
    /** SQLite: the trigrams of the texts, by the id of `code_blob`. */
    code_text: { rowid: number; text: string }
  }
}
