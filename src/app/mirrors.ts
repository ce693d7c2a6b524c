import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Git } from '../git/index.ts'
import type { Clock } from '../platform/clock.ts'
import { parseDuration } from '../platform/duration.ts'
import type { Logger } from '../platform/logger.ts'
import { createHostGuard, createOutgoingClient, type HostGuard } from '../platform/outgoing/index.ts'
import { createSecretBox } from '../platform/secret-box.ts'
import type { Attachments } from '../subjects/attachments/attachments.service.ts'
import { createMigrations, type Migrations } from '../subjects/imports/imports.service.ts'
import { createLfsClient } from '../subjects/lfs/client.ts'
import type { LfsObjects } from '../subjects/lfs/lfs-objects.service.ts'
import { createLfsTransfers } from '../subjects/lfs/lfs-transfers.ts'
import { createPullMirrors, type PullMirrors } from '../subjects/mirrors/pull-mirrors.service.ts'
import { createPushMirrors, type PushMirrors } from '../subjects/mirrors/push-mirrors.service.ts'
import { createRemoteAccess } from '../subjects/mirrors/remote-access.ts'
import type { Pushes } from '../subjects/pushes/accept-push.ts'
import type { DiskQuota } from '../subjects/quota/disk-quota.ts'
import type { UploadRuleSet } from './releases.ts'
import { repoRules } from './repo-rules.ts'
import { loadSecretKey } from './secret-key.ts'

export interface MirrorServices {
  readonly migrations: Migrations
  readonly pullMirrors: PullMirrors
  readonly pushMirrors: PushMirrors
}

interface MirrorServiceDeps {
  readonly config: Config
  readonly database: Database
  readonly git: Git
  readonly quota: DiskQuota
  readonly gitDoors: { readonly pushes: Pushes }
  readonly clock: Clock
  readonly log: Logger
  readonly dataDir: string
  readonly lfsObjects: LfsObjects
  readonly attachments: Attachments
  readonly uploadRules: UploadRuleSet
}

/** Everything that reads and writes repositories of other servers. */
export function createMirrorServices({
  config,
  gitDoors,
  dataDir,
  lfsObjects,
  attachments,
  uploadRules,
  ...core
}: MirrorServiceDeps): MirrorServices {
  const { migrations, mirror, repository, security } = config
  const guard = hostGuard('migrations.allowed_hosts', migrations.allowed_hosts)
  const client = createOutgoingClient({
    guard,
    userAgent: `git/${core.git.version}-ingot`,
    skipTlsVerify: migrations.skip_tls_verify,
  })
  const timeout = migrations.timeout * 1000
  const access = createRemoteAccess({
    git: core.git,
    guard,
    client,
    secrets: createSecretBox(loadSecretKey(security.secret_key, dataDir)),
    timeout,
    maxBytes: migrations.max_size > 0 ? migrations.max_size * 1024 * 1024 : Number.POSITIVE_INFINITY,
    skipTlsVerify: migrations.skip_tls_verify,
  })
  const largeFiles = config.lfs.enabled
    ? {
        lfsObjects,
        lfsTransfers: createLfsTransfers({
          client: createLfsClient({ client, timeout }),
          objects: lfsObjects,
          clock: core.clock,
          timeout,
        }),
      }
    : undefined
  const lfsTransfers = largeFiles?.lfsTransfers
  const defaultInterval = readDuration('mirror.default_interval', mirror.default_interval)
  const minInterval = readDuration('mirror.min_interval', mirror.min_interval)
  return {
    pullMirrors: createPullMirrors({ ...core, pushes: gitDoors.pushes, access, lfsTransfers, enabled: mirror.enabled }),
    pushMirrors: createPushMirrors({
      ...core,
      access,
      lfsTransfers,
      settings: { enabled: mirror.enabled, creationEnabled: !mirror.disable_new_push, minInterval },
    }),
    migrations: createMigrations({
      ...core,
      access,
      largeFiles,
      attachments,
      releaseRules: uploadRules.releases,
      sources: { client, timeout },
      rules: repoRules(config),
      settings: {
        disabled: repository.disable_migrations,
        mirrorsEnabled: mirror.enabled && !mirror.disable_new_pull,
        defaultInterval,
        minInterval,
      },
    }),
  }
}

function hostGuard(name: string, list: string): HostGuard {
  try {
    return createHostGuard(list)
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
}

function readDuration(name: string, text: string): number {
  const duration = parseDuration(text)
  if (duration === undefined || duration < 0) throw new Error(`${name}: invalid duration "${text}"`)
  return duration
}
