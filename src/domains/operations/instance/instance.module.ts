import type { Config } from '../../../core/config/index.ts'
import type { Processes } from '../../../core/platform/concurrency/processes.ts'
import { defineModule, type ModuleParts } from '../../../core/module.ts'
import { userPresenters } from '../../accounts/index.ts'
import { createFediverse } from './fediverse.service.ts'
import { healthParts } from './health-parts.ts'
import { registerHealth } from './health.routes.ts'
import { actionsGauges } from './actions-gauges.ts'
import { jobGauges } from './job-gauges.ts'
import type { Gauges, Metrics, MetricsListener } from './metrics.routes.ts'
import { nodeInfoOperations, type PublicSettings, settingsOperations } from './instance.operations.ts'
import { repoGauges } from './repo-gauges.ts'
import { registerUserFiles } from './user-files.routes.ts'
import { webhookGauges } from './webhook-gauges.ts'
import { registerWellKnown } from './well-known.routes.ts'
import type { BackupStatus } from '../backups/backup-status.ts'

/** Information about the server: version, settings, health, metrics, and the endpoints for other servers. */
export const module = defineModule({
  name: 'instance',
  needs: ['backupStatus', 'certificates', 'gpgKeys', 'hookDeliveries', 'sshKeys', 'users', 'webAccess'],
  async create(core, { backupStatus, certificates, gpgKeys, hookDeliveries, sshKeys, users, webAccess }) {
    const { config, database, clock, log, processes, site } = core
    const { federation, service } = config
    const fediverse = createFediverse({
      database,
      clock,
      settings: {
        enabled: federation.enabled,
        sharesStatistics: federation.share_user_statistics,
        host: () => new URL(site.rootUrl()).host,
      },
    })
    const requireSignIn = service.require_signin_view
    const ping = (): Promise<void> => database.ping()
    return {
      operations: [...settingsOperations(publicSettings(config)), ...nodeInfoOperations({ fediverse, site })],
      routes(http) {
        registerUserFiles(http, {
          webAccess,
          gpgKeys,
          sshKeys,
          users,
          avatarUrl: (user) => userPresenters.avatarUrl(user, site),
        })
        registerWellKnown(http, { fediverse, site, requireSignIn })
        registerHealth(http, healthParts(core))
      },
      ...(await createMetricsParts(config.metrics, {
        gauges: {
          database_up: {
            help: '1 while the database answers',
            read: () =>
              ping().then(
                () => 1,
                () => 0,
              ),
          },
          users: { help: 'User accounts', read: () => users.count() },
          ...repoGauges(database, clock),
          ...jobGauges(database, clock),
          ...actionsGauges(database, clock),
          ...webhookGauges(hookDeliveries, clock),
          ...backupGauges(backupStatus),
          ...(certificates && {
            certificate_expires_at_seconds: {
              help: 'Unix time at which the certificate of the HTTPS listener expires',
              read: () => certificates.current().notAfter / 1000,
            },
          }),
        },
        processes,
        onListen: (url) => log.info({ url }, 'serving metrics'),
      })),
    }
  },
})

function publicSettings({ api, attachment, lfs, mirror, repository, ui }: Config): PublicSettings {
  return {
    ui: { default_theme: ui.default_theme, allowed_reactions: ui.reactions, custom_emojis: ui.custom_emojis },
    api: {
      max_response_items: api.max_response_items,
      default_paging_num: api.default_paging_num,
      default_git_trees_per_page: api.default_git_trees_per_page,
      default_max_blob_size: api.default_max_blob_size,
      default_max_response_size: api.default_max_response_size,
    },
    attachment: {
      enabled: attachment.enabled,
      allowed_types: attachment.allowed_types,
      max_files: attachment.max_files,
      max_size: attachment.max_size,
    },
    repository: {
      mirrors_disabled: !mirror.enabled,
      http_git_disabled: repository.disable_http_git,
      migrations_disabled: repository.disable_migrations,
      stars_disabled: repository.disable_stars,
      forks_disabled: repository.disable_forks,
      time_tracking_disabled: false,
      lfs_disabled: !lfs.enabled,
      max_repo_creation: repository.max_creation_limit,
    },
  }
}

interface MetricsUse {
  readonly gauges: Gauges
  readonly processes: Processes
  onListen(url: string): void
}

/**
 * Measuring hooks on the main server, and `/metrics` there unless it has a port of its own. NOTE: loads its library on
 * demand.
 */
async function createMetricsParts(
  { enabled, host, port }: Config['metrics'],
  { gauges, processes, onListen }: MetricsUse,
): Promise<Pick<ModuleParts, 'prepare' | 'listeners' | 'close'>> {
  if (!enabled) return {}
  const { createMetrics, listenForMetrics, registerMetrics } = await import('./metrics.routes.ts')
  let metrics: Metrics | undefined
  let listener: MetricsListener | undefined
  return {
    prepare(http) {
      metrics = createMetrics(http, gauges, processes)
      if (port === 0) registerMetrics(http, metrics)
    },
    listeners: [
      {
        async listen() {
          if (port === 0 || metrics === undefined) return
          listener = await listenForMetrics(metrics, { host, port })
          onListen(listener.url)
        },
        // Does nothing: the metrics are served until all requests and jobs have ended.
        async close() {},
      },
    ],
    close: async () => listener?.close(),
  }
}

/** Gauges of the continuous backup; empty if it is disabled. */
function backupGauges(status: { read(): Promise<BackupStatus | undefined> } | undefined): Gauges {
  if (status === undefined) return {}
  return {
    backup_lag_seconds: {
      help: 'Age of the latest state that the backup of the database covers; -1 before the first copy',
      read: async () => (await status.read())?.lag ?? -1,
    },
    backup_failures: {
      help: 'Copies that failed since the start of the process that copies',
      read: async () => (await status.read())?.failures ?? 0,
    },
  }
}
