import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../core/config/index.ts'
import { beginReads } from '../core/db/read-cache.ts'
import type { SealedColumns } from '../core/db/sealed-columns.ts'
import { fromGit } from '../core/git/index.ts'
import { corsSettings } from '../core/http/cors-settings.ts'
import type { Operation } from '../core/http/operation.ts'
import { createPipeline, type PipelineSettings } from '../core/http/pipeline.ts'
import { credentialOf } from '../core/http/caller.ts'
import { registerReference } from '../core/http/reference/reference.ts'
import { createServer } from '../core/http/server.ts'
import { urlByName } from '../core/http/tls/certificate.ts'
import type { Core, DoctorCheck, Services, Module } from '../core/module.ts'
import { type AppOverrides, compose, type Composed, type Composition } from './compose.ts'
import { startingAlone } from './cluster/open-processes.ts'
import { denyOthersDataDir, permissionsCheck } from './data-dir-modes.ts'
import { openDataDir } from './data-dir.ts'
import { schemaCheck } from './migrations.ts'
import { storageCheck } from './storage.ts'
import type { Logger } from '../core/platform/logger.ts'
import { EventDispatcher } from '../core/events/index.ts'
import { JobRunner, type Schedule } from '../core/jobs/index.ts'

const IDLE_SWEEP_MS = 50

const HTTP_LIMITS = {
  /** Maximum bytes of a JSON or form body for operations that accept files; other operations accept 1 MiB. */
  bodyLimit: 32 * 1024 * 1024,
  /**
   * Time limit for the headers, and for a whole JSON or form body. Git and file transfers may take longer as long as
   * some bytes arrive within this time.
   */
  receiveTimeoutMs: 120_000,
}

declare module '../core/module.ts' {
  interface Tuning {
    readonly http: Partial<typeof HTTP_LIMITS>
    /** Milliseconds after which a job is run whose time has come. */
    readonly jobInterval: number
  }
}

/**
 * Stops accepting requests, waits for running requests and transfers, and closes the remaining ones after `seconds`.
 */
async function closeWithin(http: FastifyInstance, seconds: number, log: Logger): Promise<void> {
  const timer = setTimeout(() => {
    log.warn({ seconds }, 'closing requests that did not finish in time')
    http.server.closeAllConnections()
  }, seconds * 1000)
  // NOTE: a connection that is busy now becomes idle later and would keep the server open for its keep-alive time.
  const sweep = setInterval(() => http.server.closeIdleConnections(), IDLE_SWEEP_MS)
  try {
    await http.close()
  } finally {
    clearTimeout(timer)
    clearInterval(sweep)
  }
}

/** The application without a server, with its services by name. */
export interface CoreApp extends Core, Services {
  /** The checks of all modules, for `ingot doctor`. */
  readonly checks: readonly DoctorCheck[]
  /** The encrypted columns of all modules, for `ingot admin rotate-key`. */
  readonly sealedColumns: readonly SealedColumns[]
  close(): Promise<void>
}

export interface App extends CoreApp {
  /** Events, jobs and scheduled tasks; started by the serve command. */
  readonly background: Background
  readonly http: FastifyInstance
  readonly operations: readonly Operation[]
  /** In the order of their creation. */
  readonly modules: readonly Composed[]
  /** Sets the root URL if the configuration has none. */
  setRootUrl(url: string): void
  /** Listens on every configured address; returns the URL of the HTTP server. */
  listen(): Promise<string>
  /** Makes `/api/readyz` answer 503; everything else works until `close`. */
  beginStop(): void
}

/** Creates the application without server and background work, for commands. */
export async function createCore(
  config: Config,
  modules: readonly Module[],
  overrides: AppOverrides = {},
): Promise<CoreApp> {
  const composition = await compose(config, modules, overrides)
  return {
    ...composition.core,
    ...composition.services,
    checks: checksOf(composition),
    sealedColumns: sealedColumnsOf(composition),
    close: composition.close,
  }
}

/** Creates the whole server, not yet listening. */
export async function createApp(
  config: Config,
  modules: readonly Module[],
  overrides: AppOverrides = {},
): Promise<App> {
  denyOthersDataDir(openDataDir(config.data_dir))
  const composition = await compose(config, modules, { ...overrides, exclusive: true })
  const { core, services, addresses } = composition
  const operations = composition.modules.flatMap((module) => module.operations ?? [])
  const listeners = composition.modules.flatMap((module) => module.listeners ?? [])
  const background = createBackground(composition)
  const http = await createHttp(composition, operations)
  return {
    ...core,
    ...services,
    checks: checksOf(composition),
    sealedColumns: sealedColumnsOf(composition),
    background,
    http,
    operations,
    modules: composition.modules,
    setRootUrl: addresses.setRootUrl,
    async listen() {
      const url = await http.listen({ host: config.server.host, port: config.server.port })
      const { certificates } = services
      addresses.setRootUrl(certificates === undefined ? url : urlByName(url, certificates.current()))
      // NOTE: the first SSH listener generates the host keys.
      await startingAlone(core.processes, async () => {
        for (const listener of listeners) await listener.listen()
      })
      return url
    },
    beginStop: composition.beginStop,
    async close() {
      composition.beginStop()
      const seconds = config.server.shutdown_timeout
      await Promise.all([closeWithin(http, seconds, core.log), ...listeners.map((listener) => listener.close(seconds))])
      await background.stop()
      await composition.close()
    },
  }
}

const checksOf = ({ core, modules }: Composition): DoctorCheck[] => [
  ...modules.flatMap(({ checks = [] }) => checks),
  ...(core.blobs.bucket === undefined ? [] : [storageCheck(core.blobs, core.clock)]),
  schemaCheck(core.database),
  permissionsCheck(core.dataDir),
]

const sealedColumnsOf = ({ modules }: Composition): SealedColumns[] =>
  modules.flatMap(({ sealedColumns = [] }) => sealedColumns)

async function createHttp(
  { core, services, modules }: Composition,
  operations: readonly Operation[],
): Promise<FastifyInstance> {
  const { config, site, log, tuning } = core
  const { server, api } = config
  const http = await createServer({
    log,
    modules,
    domainError: fromGit,
    prepare: (app) => {
      for (const module of modules) module.prepare?.(app)
    },
    pipeline: createPipeline({
      domainError: fromGit,
      authenticate: services.authenticate,
      findAccount: services.users.findByName,
      findAccountById: services.users.findById,
      recordSudo: ({ requester, account, client, operation }) =>
        services.signInRecords.sudo(
          { account: requester.account, source: { ...client, credential: credentialOf(requester) } },
          { userId: account.id, operation },
        ),
      settings: pipelineSettings(core),
      beginReads: () => beginReads(core.database.read),
      limitAnonymous: (network, cost) => core.rateLimits.anonymous.take(network, cost),
    }),
    settings: {
      ...HTTP_LIMITS,
      ...tuning.http,
      maxConnections: Math.floor(maxOpenFiles() / 2),
      certificates: services.certificates,
      trustedProxies: server.trust_proxy ? server.proxy_hops : 0,
      rootUrl: site.rootUrl,
      cors: corsSettings(config.cors),
    },
  })
  registerReference(http, { operations, page: api.enable_swagger, rootUrl: site.rootUrl })
  return http
}

function pipelineSettings({ config: { api, security, service }, site }: Core): PipelineSettings {
  return {
    queryTokens: !security.disable_query_auth_token,
    proxyHeaders: service.enable_reverse_proxy_authentication_api
      ? {
          user: security.reverse_proxy_authentication_user,
          email: security.reverse_proxy_authentication_email,
          fullName: security.reverse_proxy_authentication_full_name,
        }
      : undefined,
    requireSignIn: service.require_signin_view,
    paging: { defaultLimit: api.default_paging_num, maxLimit: api.max_response_items },
    rootUrl: site.rootUrl,
  }
}

export type { AppOverrides }

interface Background {
  readonly events: EventDispatcher
  readonly jobs: JobRunner
  readonly schedule: Schedule
  start(): void
  /** Resolves when all work has stopped; unfinished work continues at the next start. */
  stop(): Promise<void>
  /** Dispatches events, runs jobs and drains workers until nothing is due, for tests and commands. */
  drain(): Promise<void>
}

/** Work after the response: events to subscriptions, jobs, scheduled tasks, workers of modules. */
function createBackground({ core, eventLog, jobQueue, modules }: Composition): Background {
  const { database, clock, log, schedule, processes } = core
  const events = new EventDispatcher({ database, clock, log, eventLog })
  const jobs = new JobRunner({
    database,
    clock,
    log,
    queue: jobQueue,
    members: processes,
    interval: core.tuning.jobInterval,
  })
  const stopping = new AbortController()
  const workers = modules.flatMap((module) => module.workers ?? [])
  const drainWorkers = async (): Promise<boolean> => {
    let worked = false
    for (const worker of workers) worked = (await worker.drain()) || worked
    return worked
  }
  let recovering = Promise.resolve()
  let stopRecovering: (() => void) | undefined
  const recover = async (): Promise<void> => {
    for (const { name, recover: enqueueChecks } of modules) {
      if (stopping.signal.aborted) return
      await enqueueChecks?.().catch((error: unknown) =>
        log.error({ err: error, module: name }, 'failed to enqueue the start-up checks'),
      )
    }
  }
  return {
    events,
    jobs,
    schedule,
    start() {
      events.start()
      jobs.start()
      schedule.start()
      for (const worker of workers) worker.start()
      recovering = recover()
      // A killed process may leave work that only a start-up check finds.
      stopRecovering ??= processes.onEnded((names) => {
        if (names.length > 0) recovering = recovering.then(recover)
      })
    },
    async stop() {
      stopping.abort()
      schedule.stop()
      stopRecovering?.()
      await recovering
      await events.stop()
      await Promise.all([jobs.stop(), ...workers.map((worker) => worker.stop())])
    },
    async drain() {
      do {
        while (await events.dispatchSome());
        await jobs.drain()
      } while ((await drainWorkers()) || (await events.dispatchSome()))
    },
  }
}

/** The limit of open files if the system does not state one. */
const USUAL = 8192

/** Files and connections that this process may have open (getrlimit(2), RLIMIT_NOFILE). */
function maxOpenFiles(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? USUAL : Number(limit)
  } catch {
    return USUAL
  }
}
