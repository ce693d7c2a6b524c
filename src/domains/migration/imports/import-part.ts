import type { Tx } from '../../../core/db/database.ts'
import type { GitRepo } from '../../../core/git/index.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import type { ImportRequest } from './read-request.ts'

/** What the parts of an import use. */
export interface ImportContext {
  readonly request: ImportRequest
  /** Location after redirects, with the credentials for it. */
  readonly location: Pick<ImportRequest, 'url' | 'credentials'>
  /** The fetched repository; it has no row yet. */
  readonly repo: GitRepo
  /** Bytes that may still be fetched; Infinity for no limit. */
  remainingBytes(): number
  /** Counts fetched bytes. Throws RemoteError if the limit is exceeded. */
  countBytes(bytes: number): void
  /** Reports in the response and the log that something was not imported. */
  warn(text: string): void
  readonly signal: AbortSignal
  /** Runs the task after the import has succeeded or failed. */
  onEnd(task: () => Promise<void>): void
}

/** Writes what was fetched; runs in the transaction that inserts the repository. */
export type WritePart = (tx: Tx, repoId: RepoId) => Promise<void>

/** Fetches one kind of data besides git data, such as labels. It is written after all parts have been fetched. */
export type ImportPart = (context: ImportContext) => Promise<WritePart>
