import type { Core } from '../../../core/module.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Processes } from '../../../core/platform/concurrency/processes.ts'
import type { Attachments, Repo, RepoRules, UploadRules } from '../../repositories/index.ts'
import type { LfsObjects, LfsTransfers } from '../../code/index.ts'
import type { RemoteAccess } from '../mirrors/remote-access.ts'
import type { DiskQuota, User } from '../../accounts/index.ts'
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
  /** Create a pull mirror. */
  readonly isMirror?: boolean | undefined
  /** Duration text; the default of the server if empty. */
  readonly mirrorInterval?: string | undefined
  readonly wiki?: boolean | undefined
  /** Import large files; ignored if LFS is disabled. */
  readonly lfs?: boolean | undefined
  /** Address of the LFS server unless derived from `address`; may contain credentials. */
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

/** Services for large files; absent if LFS is disabled. */
export interface LargeFileServices {
  readonly lfsObjects: LfsObjects
  readonly lfsTransfers: LfsTransfers
}

export interface ImportDeps extends Pick<Core, 'database' | 'git' | 'events' | 'jobs' | 'clock' | 'log'> {
  readonly processes: Pick<Processes, 'acrossMachines' | 'ended' | 'self'>
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
  /** Sentences about what was not imported and why; empty if everything was. */
  readonly warnings: readonly string[]
}

export interface ImportTask {
  readonly actor: SignedIn
  /** Owner of the new repository; the actor may create repositories for it. */
  readonly owner: User
  /** New storage key. */
  readonly storage: string
  readonly signal: AbortSignal
}
