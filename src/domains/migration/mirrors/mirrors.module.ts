import { createHostGuard, createOutgoingClient, type OutgoingClient } from '../../../core/platform/outgoing/index.ts'
import { type LfsTransfers, createLfsClient, createLfsTransfers } from '../../code/index.ts'
import { defineModule } from '../../../core/module.ts'
import {
  readIntervalSetting,
  createRemoteAccess,
  TRANSFER_TIMEOUT_MS,
  type RemoteAccess,
  sealedMirrorColumns,
} from './remote-access.ts'
import { createMirrorJobs } from './mirrors.jobs.ts'
import { mirrorSubscriptions } from './mirrors.subscriber.ts'
import { pullMirrorOperations } from './pull-mirrors.operations.ts'
import { createPullMirrors, type PullMirrors } from './pull-mirrors.service.ts'
import { pushMirrorOperations } from './push/push-mirrors.operations.ts'
import { createPushMirrors } from './push/push-mirrors.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly pullMirrors: PullMirrors
    /** Lists and fetches git repositories of other servers. */
    readonly remoteAccess: RemoteAccess
    /** HTTP requests to the servers that `migrations.allowed_hosts` allows. */
    readonly outgoingClient: OutgoingClient
    /** Undefined if LFS is disabled. */
    readonly lfsTransfers: LfsTransfers | undefined
  }
}

/** Pull mirrors copy a remote repository; push mirrors are remote copies of a repository of this server. */
export const module = defineModule({
  name: 'mirrors',
  needs: ['pushes', 'quota', 'lfsObjects', 'wikis'],
  create(
    { config, database, git, clock, log, jobs, processes, secrets },
    { pushes, quota, lfsObjects, wikis },
    guards,
  ) {
    const { lfs, migrations, mirror } = config
    const guard = createHostGuard(migrations.allowed_hosts, 'migrations.allowed_hosts')
    const outgoingClient = createOutgoingClient({
      guard,
      userAgent: `git/${git.version}-ingot`,
      skipTlsVerify: migrations.skip_tls_verify,
    })
    const remoteAccess = createRemoteAccess({
      git,
      guard,
      client: outgoingClient,
      secrets,
      timeout: TRANSFER_TIMEOUT_MS,
      maxBytes: migrations.max_size > 0 ? migrations.max_size * 1024 * 1024 : Number.POSITIVE_INFINITY,
      skipTlsVerify: migrations.skip_tls_verify,
    })
    const lfsTransfers = lfs.enabled
      ? createLfsTransfers({
          client: createLfsClient({ client: outgoingClient, timeout: TRANSFER_TIMEOUT_MS }),
          objects: lfsObjects,
          clock,
          timeout: TRANSFER_TIMEOUT_MS,
        })
      : undefined
    const core = { database, git, clock, log, jobs, access: remoteAccess, lfsTransfers, locks: processes.locks }
    const pullMirrors = createPullMirrors({ ...core, pushes, wikis, quota, enabled: mirror.enabled })
    const pushMirrors = createPushMirrors({
      ...core,
      settings: {
        enabled: mirror.enabled,
        creationEnabled: !mirror.disable_new_push,
        minInterval: readIntervalSetting('mirror.min_interval', mirror.min_interval),
      },
    })
    return {
      services: { pullMirrors, remoteAccess, outgoingClient, lfsTransfers },
      operations: [...pullMirrorOperations({ guards, pullMirrors }), ...pushMirrorOperations({ guards, pushMirrors })],
      subscriptions: mirrorSubscriptions(pushMirrors),
      sealedColumns: sealedMirrorColumns,
      jobs: createMirrorJobs({ database, clock, jobs, pullMirrors, pushMirrors }),
      tasks: [
        {
          name: 'update_mirrors',
          schedule: '*/10 * * * *',
          start: (tx) => jobs.enqueue(tx, 'mirrors.start_due', {}, { key: 'all' }),
        },
      ],
      close: () => pushMirrors.close(),
    }
  },
})
