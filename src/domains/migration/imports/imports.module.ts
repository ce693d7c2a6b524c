import { TRANSFER_TIMEOUT_MS, readIntervalSetting } from '../mirrors/remote-access.ts'
import type { Tx } from '../../../core/db/database.ts'
import { defineModule } from '../../../core/module.ts'
import { createImportPublisher } from './import-publisher.ts'
import { importEvents } from './imports.events.ts'
import { createImportJobs, importTasks } from './imports.jobs.ts'
import { importOperations } from './imports.operations.ts'
import { type WaitLimits, sleep } from './forge-waits.ts'
import { createImports, type Imports } from './imports.service.ts'
import { presentMigration } from './migration.present.ts'
import type { ApiAddresses } from './source-location.ts'
import { sealedImportColumns } from './request-box.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly imports: Imports
  }
  interface Tuning {
    /** Waits for another service that fails or limits requests. */
    readonly importSleep: WaitLimits['sleep']
    readonly importApis: ApiAddresses
  }
}

/** Maximum wait for a rate limit of another service, while the client of the request waits. */
const MAX_WAIT_MS = 60_000
const CLUSTER_DELAY_MS = 30_000

/** Imports of repositories from other servers. */
export const module = defineModule({
  name: 'imports',
  needs: [
    'attachments',
    'lfsObjects',
    'lfsTransfers',
    'outgoingClient',
    'pushes',
    'quota',
    'remoteAccess',
    'repoRules',
    'repos',
    'signInSources',
    'streams',
    'uploadRules',
  ],
  create(
    core,
    { lfsObjects, lfsTransfers, outgoingClient, remoteAccess, repoRules, repos, streams, uploadRules, ...services },
  ) {
    const { config, database, git, clock, log, events, jobs, processes, secrets, site } = core
    const { mirror, repository } = config
    const imports = createImports({
      database,
      git,
      events,
      jobs,
      clock,
      log,
      processes,
      secrets,
      access: remoteAccess,
      pushes: services.pushes,
      rules: repoRules,
      quota: services.quota,
      largeFiles: lfsTransfers && { lfsObjects, lfsTransfers },
      attachments: services.attachments,
      releaseRules: uploadRules.releases,
      issueRules: uploadRules.issues,
      reactions: new Set(config.ui.reactions),
      maxPins: config.issue.max_pinned,
      site,
      draftPrefixes: config.pull_request.work_in_progress_prefixes,
      sources: {
        client: outgoingClient,
        timeout: TRANSFER_TIMEOUT_MS,
        patience: { clock, maxWait: MAX_WAIT_MS, sleep: core.tuning.importSleep ?? sleep },
        apis: core.tuning.importApis,
      },
      settings: {
        disabled: repository.disable_migrations,
        mirrorsEnabled: mirror.enabled && !mirror.disable_new_pull,
        defaultInterval: readIntervalSetting('mirror.default_interval', mirror.default_interval),
        minInterval: readIntervalSetting('mirror.min_interval', mirror.min_interval),
      },
    })
    const publisher = createImportPublisher({
      clock,
      database,
      async find(viewer, id) {
        const found = await imports.find(viewer, id)
        return found && presentMigration(found, (await imports.ownerNames([found])).get(found.ownerId) ?? '')
      },
    })
    streams.addPublisher(publisher)
    const clear = (tx: Tx, delay: number): Promise<void> =>
      jobs.enqueue(tx, 'imports.clear', { started_before: clock.now() }, { key: 'all', delay })
    return {
      services: { imports },
      operations: importOperations({ imports, repos, site, streams, publisher }),
      events: importEvents,
      sealedColumns: sealedImportColumns,
      jobs: createImportJobs({ database, jobs, imports, signInSources: services.signInSources }),
      tasks: importTasks(jobs, (tx) => clear(tx, 0)),
      // NOTE: a node that has just started does not know the other running nodes yet.
      recover: () => database.transaction((tx) => clear(tx, processes.acrossMachines ? CLUSTER_DELAY_MS : 0)),
      close: () => imports.close(),
    }
  },
})
