import type { SignedIn } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import type { Git } from '../../git/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Attachments } from '../attachments/attachments.service.ts'
import type { UploadRules } from '../attachments/upload-rules.policy.ts'
import type { LfsObjects } from '../lfs/lfs-objects.service.ts'
import type { LfsTransfers } from '../lfs/lfs-transfers.ts'
import type { RemoteAccess } from '../mirrors/remote-access.ts'
import type { DiskQuota } from '../quota/disk-quota.ts'
import type { RepoRules } from '../repos/creation/create-repo.ts'
import type { Repo } from '../repos/repo.store.ts'
import type { User } from '../users/user.store.ts'
import type { MetadataPart } from './remote-forge.ts'
import type { SourceDeps } from './source.ts'

export interface NewMigration {
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
  /** Large files; nothing where this server keeps none. */
  readonly lfs?: boolean | undefined
  /** Where they are, when not where the address says; may hold credentials. */
  readonly lfsEndpoint?: string | undefined
  readonly parts: ReadonlySet<MetadataPart>
}

export interface MigrationSettings {
  readonly disabled: boolean
  /** New pull mirrors are allowed. */
  readonly mirrorsEnabled: boolean
  /** Milliseconds. */
  readonly defaultInterval: number
  readonly minInterval: number
}

/** Large files, where this server keeps any. */
export interface LargeFileServices {
  readonly lfsObjects: LfsObjects
  readonly lfsTransfers: LfsTransfers
}

export interface MigrateDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly log: Logger
  readonly access: RemoteAccess
  readonly rules: RepoRules
  readonly quota: DiskQuota
  readonly settings: MigrationSettings
  readonly largeFiles: LargeFileServices | undefined
  readonly attachments: Attachments
  readonly releaseRules: UploadRules
  readonly sources: SourceDeps
}

export interface Migrated {
  readonly repo: Repo
  /** What was left out and why, in sentences; empty when everything came. */
  readonly warnings: readonly string[]
}

export interface Migrating {
  readonly viewer: SignedIn
  /** Of the new repository; that the viewer may make it has been asked before. */
  readonly owner: User
  /** A new key to write under. */
  readonly storage: string
  readonly signal: AbortSignal
}
