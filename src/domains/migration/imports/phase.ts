import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { GitRepo } from '../../../core/git/index.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import type { AttachmentHold } from '../../repositories/index.ts'
import type { ImportRequest } from './read-request.ts'
import type { Source, SourceUser } from './source.ts'

/**
 * One kind of imported data, such as milestones. Phases run one after the other, in the order of the list in
 * `phases.ts`, against a repository that nobody sees yet.
 */
export interface ImportPhase {
  /** The name in the progress of the API and in `repo_import.phase`; never changes. */
  readonly name: string
  /** Whether the request selects it; not asked of mirrors. */
  isWanted(request: ImportRequest): boolean
  /**
   * Reads and downloads data, and yields steps that are to be written. Each step is written in a transaction of its
   * own, together with its cursor; after a restart the phase begins after the cursor of the last step that was
   * committed, empty if there is none. A step holds at most a page of items, so that memory is bounded.
   */
  steps(context: PhaseContext, cursor: string): AsyncIterable<ImportStep>
}

export interface ImportStep {
  /** A text of at most 500 characters. */
  readonly cursor: string
  /** The number of items that the step brings, for the progress. */
  readonly count: number
  /** Reads and writes the database alone. */
  write(tx: Tx): Promise<void>
}

/** Whom the rows of an imported object name. */
interface ImportedAuthor {
  /** The account: the importer, or the account that an administrator mapped the author to. */
  readonly userId: UserId
  /** Empty for a mapped account. */
  readonly original_author: string
  /** 0 for a mapped account. */
  readonly original_author_id: number
}

export interface PhaseContext {
  readonly source: Source
  readonly request: ImportRequest
  readonly repoId: RepoId
  /** `owner/name` that it gets at the end. */
  readonly fullName: string
  /** The git data, already fetched; phases may add `refs/pull/N/head`. */
  readonly repo: GitRepo
  readonly actor: SignedIn
  author(user: SourceUser): ImportedAuthor
  /** The account that an administrator mapped a user of the service to; undefined without one. */
  mapped(user: SourceUser): UserId | undefined
  /** Protects downloaded files from the sweep until their rows are written. */
  readonly hold: AttachmentHold
  /** Records an omission, with the reason, for the response, the progress and the log. */
  warn(text: string): void
  /** Counts downloaded bytes. Throws RemoteError if the limit of the import is exceeded. */
  countBytes(bytes: number): void
  /** Ids of this server for keys of the service, such as those of milestones; kept until the import ends. */
  readonly keys: ImportKeys
  readonly signal: AbortSignal
}

/** Table `import_key`. */
export interface ImportKeys {
  set(tx: Tx, kind: string, ids: ReadonlyMap<string, number>): Promise<void>
  /** The ids of those given keys that are known. */
  get(tx: Tx, kind: string, keys: readonly string[]): Promise<Map<string, number>>
}
