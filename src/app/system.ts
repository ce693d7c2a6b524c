import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Operation } from '../http/operation.ts'
import { registerReference } from '../http/reference/reference.ts'
import type { Logger } from '../platform/logger.ts'
import type { Site } from '../platform/site.ts'
import type { Fediverse } from '../subjects/instance/fediverse.ts'
import { registerHealth } from '../subjects/instance/health.ts'
import type { Metrics, MetricsListener } from '../subjects/instance/metrics.ts'
import { registerWellKnown } from '../subjects/instance/well-known.ts'
import type { Users } from '../subjects/users/users.service.ts'

/** What of the core operators look at. */
interface SystemParts {
  readonly config: Config
  readonly database: Database
  readonly fediverse: Fediverse
  readonly log: Logger
  readonly site: Site
  readonly users: Users
}

/** The description of the API, the health check and what other servers look for. */
export function registerSystem(
  http: FastifyInstance,
  { core, operations }: { core: SystemParts; operations: readonly Operation[] },
): void {
  registerReference(http, { operations, page: core.config.api.enable_swagger, rootUrl: core.site.rootUrl })
  registerWellKnown(http, { ...core, requireSignIn: core.config.service.require_signin_view })
  registerHealth(http, { database: () => core.database.ping() }, core.log)
}

export interface MetricsDoor {
  /** Puts hooks, and `/metrics` unless it has a port of its own, on the main server. */
  prepare(http: FastifyInstance): void
  listen(): Promise<void>
  close(): Promise<void>
}

/** NOTE: the library is loaded only when metrics are wanted. */
export async function prepareMetrics({ config, database, log, users }: SystemParts): Promise<MetricsDoor> {
  const { enabled, host, port } = config.metrics
  if (!enabled) return { prepare: () => {}, listen: async () => {}, close: async () => {} }
  const library = await import('../subjects/instance/metrics.ts')
  let metrics: Metrics | undefined
  let listener: MetricsListener | undefined
  return {
    prepare(http) {
      metrics = library.createMetrics(http, {
        database_up: {
          help: '1 while the database answers',
          read: () =>
            database.ping().then(
              () => 1,
              () => 0,
            ),
        },
        users: { help: 'User accounts', read: () => users.count() },
      })
      if (port === 0) library.registerMetrics(http, metrics)
    },
    async listen() {
      if (port === 0 || metrics === undefined) return
      listener = await library.listenForMetrics(metrics, { host, port })
      log.info({ url: listener.url }, 'serving metrics')
    },
    close: async () => listener?.close(),
  }
}
