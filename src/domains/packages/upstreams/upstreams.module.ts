import { defineModule } from '../../../core/module.ts'
import { createHostGuard, createOutgoingClient } from '../../../core/platform/outgoing/index.ts'
import { createPackageGuard } from '../packages/package.guards.ts'
import { createPullThrough, type PullThrough } from './pull-through.service.ts'
import { createUpstreamClient, CREDENTIALS_CONTEXT } from './upstream-client.ts'
import { findUpstreamUse, sumUpstreamFiles } from './upstream-file.store.ts'
import { upstreamEvents } from './upstreams.events.ts'
import { createUpstreamJobs, upstreamTasks } from './upstreams.jobs.ts'
import { upstreamOperations } from './upstreams.operations.ts'
import { createUpstreams, type Upstreams } from './upstreams.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    /** Reads of packages that are answered from registries of other servers. */
    readonly pullThrough: PullThrough
    readonly packageUpstreams: Upstreams
  }
}

/** Registries of other servers, from which packages are fetched that an owner does not have. */
export const module = defineModule({
  name: 'package-upstreams',
  needs: ['packageBlobUses', 'packageContents', 'quotaParts'],
  create(core, { packageBlobUses, packageContents: contents, quotaParts }) {
    const { config, database, jobs, secrets } = core
    const { upstream_hosts: hosts, upstream_keep_days: keepDays, max_file_size: maxFileSize } = config.packages
    const enabled = hosts !== ''
    packageBlobUses.register(findUpstreamUse)
    quotaParts.usage.register(async (db, ownerId) => ({ packages: await sumUpstreamFiles(db, ownerId) }))
    const outgoing = createOutgoingClient({
      guard: createHostGuard(hosts, 'packages.upstream_hosts'),
      userAgent: 'ingot',
    })
    const client = createUpstreamClient(outgoing, secrets)
    const deps = { ...core, contents, client, maxFileSize: maxFileSize || Infinity }
    const upstreams = createUpstreams({ ...core, enabled })
    return {
      events: upstreamEvents,
      services: { pullThrough: createPullThrough({ ...deps, enabled }), packageUpstreams: upstreams },
      operations: upstreamOperations({ packageGuard: createPackageGuard({ database }), upstreams }),
      sealedColumns: [{ table: 'package_upstream', key: 'id', contexts: { credentials: () => CREDENTIALS_CONTEXT } }],
      jobs: createUpstreamJobs(core, keepDays),
      tasks: upstreamTasks(jobs),
    }
  },
})
