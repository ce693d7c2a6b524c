import type { Tx } from '../../db/database.ts'
import type { GitRepo } from '../../git/index.ts'
import type { RepoId } from '../../platform/ids.ts'
import type { MigrationRequest } from './read-request.ts'

/** What a part of an import may use. */
export interface ImportContext {
  readonly request: MigrationRequest
  /** Where the repository was found in the end, redirects followed, and with which credentials. */
  readonly place: Pick<MigrationRequest, 'url' | 'credentials'>
  /** The fetched repository; no row names it yet. */
  readonly repo: GitRepo
  /** Bytes that may still come; Infinity for any number. */
  room(): number
  /** Counts bytes that came. Throws RemoteError when they are too many. */
  spend(bytes: number): void
  /** Tells whoever imports, and the log, what is left out. */
  warn(text: string): void
  readonly signal: AbortSignal
  /** Runs when the import has ended, whichever way. */
  onEnd(task: () => Promise<void>): void
}

/** Writes what was collected; runs in the transaction that makes the repository. */
export type WritePart = (tx: Tx, repoId: RepoId) => Promise<void>

/**
 * One thing that an import brings beside git data. What it reads from the other server is kept aside until everything
 * is there: a new part is a new value of this type, and nothing of the importer changes.
 */
export type ImportPart = (context: ImportContext) => Promise<WritePart>
