import type { SignedIn } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import type { Events } from '../../events/index.ts'
import type { Git } from '../../git/index.ts'
import type { Jobs } from '../../jobs/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Attachments, UploadRules } from '../attachments/index.ts'
import type { LfsObjects, LfsTransfers } from '../lfs/index.ts'
import type { RemoteAccess } from '../mirrors/index.ts'
import type { DiskQuota } from '../quota/index.ts'
import type { Repo, RepoRules } from '../repos/index.ts'
import type { User } from '../users/index.ts'
import type { MetadataPart } from './remote-forge.ts'
import type { SourceDeps } from './source.ts'

export interface NewImport {
  readonly address: string
  readonly name: string
  readonly service?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly token?: string | undefined
  readonly description?: string | undefined
  readonly isPrivate?: boolean | undefined
  /** Follow the source from now on. */
  readonly isMirror?: boolean | undefined
  /** Duration text; the server's default when empty. */
  readonly mirrorInterval?: string | undefined
  readonly wiki?: boolean | undefined
  /** Large files, where this server stores any. */
  readonly lfs?: boolean | undefined
  /** Where they are, when not where the address says; may hold credentials. */
  readonly lfsEndpoint?: string | undefined
  readonly parts: ReadonlySet<MetadataPart>
}

export interface ImportSettings {
  readonly disabled: boolean
  /** New pull mirrors are allowed. */
  readonly mirrorsEnabled: boolean
  /** Milliseconds. */
  readonly defaultInterval: number
  readonly minInterval: number
}

/** Large files, where this server stores any. */
export interface LargeFileServices {
  readonly lfsObjects: LfsObjects
  readonly lfsTransfers: LfsTransfers
}

export interface ImportDeps {
  readonly database: Database
  readonly git: Git
  readonly events: Events
  readonly jobs: Jobs
  readonly clock: Clock
  readonly log: Logger
  readonly access: RemoteAccess
  readonly rules: RepoRules
  readonly quota: DiskQuota
  readonly settings: ImportSettings
  readonly largeFiles: LargeFileServices | undefined
  readonly attachments: Attachments
  readonly releaseRules: UploadRules
  readonly sources: SourceDeps
}

export interface ImportedRepo {
  readonly repo: Repo
  /** What was left out and why, in sentences; empty when everything came. */
  readonly warnings: readonly string[]
}

export interface ImportTask {
  readonly viewer: SignedIn
  /** Of the new repository; the viewer may create it. */
  readonly owner: User
  /** A new key to write under. */
  readonly storage: string
  readonly signal: AbortSignal
}
