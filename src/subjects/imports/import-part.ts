import type { Tx } from '../../db/database.ts'
import type { GitRepo } from '../../git/index.ts'
import type { RepoId } from '../../platform/ids.ts'
import type { ImportRequest } from './read-request.ts'

/** What a part of an import may use. */
export interface ImportContext {
  readonly request: ImportRequest
  /** Where the repository was found in the end, redirects followed, and with which credentials. */
  readonly place: Pick<ImportRequest, 'url' | 'credentials'>
  /** The fetched repository; no row names it yet. */
  readonly repo: GitRepo
  /** Bytes that may still come; Infinity for any number. */
  room(): number
  /** Counts bytes that came. Throws RemoteError when they are too many. */
  spend(bytes: number): void
  /** Reports what is left out, in the answer and the log. */
  warn(text: string): void
  readonly signal: AbortSignal
  /** Runs when the import has ended, whichever way. */
  onEnd(task: () => Promise<void>): void
}

/** Writes what was collected; runs in the transaction that makes the repository. */
export type WritePart = (tx: Tx, repoId: RepoId) => Promise<void>

/**
 * One kind of thing that an import fetches beside git data. It is written when all parts are fetched. A new kind is a new
 * value of this type.
 */
export type ImportPart = (context: ImportContext) => Promise<WritePart>
