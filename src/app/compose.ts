import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { type Config, isTlsOn } from '../core/config/index.ts'
import { type Database, dialectFor, openDatabase } from '../core/db/database.ts'
import { nodeName, lockServer, openProcesses, startingAlone } from './cluster/open-processes.ts'
import { migrate } from '../core/db/migrate.ts'
import { EventLog } from '../core/events/index.ts'
import { createGit, DEFAULT_LIMITS, type GitLimits } from '../core/git/index.ts'
import { JobQueue, Schedule } from '../core/jobs/index.ts'
import { type Clock, systemClock } from '../core/platform/clock.ts'
import { onlyProcess, type Processes, shareOf } from '../core/platform/concurrency/processes.ts'
import { TaskPool } from '../core/platform/isolation/index.ts'
import { PasswordHasher } from '../core/platform/crypto/password-hasher.ts'
import { createLogger, type Logger } from '../core/platform/logger.ts'
import { createSecretBox } from '../core/platform/crypto/secret-box.ts'
import type { Core, Guards, Services, Module, ModuleParts, Tuning, RateLimits } from '../core/module.ts'
import { openDataDir } from './data-dir.ts'
import { keepsLog, openBackupBucket, openBlobStores } from './storage.ts'
import { loadSecretKeys } from './secret-key.ts'
import { waitForDatabase } from './wait-for-database.ts'
import { RateLimit } from '../core/platform/concurrency/rate-limit.ts'
import type { Site } from '../core/platform/site.ts'
import { trimEndOf } from '../core/platform/trim.ts'

/** Smallest connection pool in which transactions and reads do not wait for each other. */
const MIN_CONNECTIONS = 2

/** The configuration of one of `count` processes: limits of the server are divided among them. */
function configOfProcess(config: Config, count: number): Config {
  if (count === 1) return config
  const { database, git } = config
  return {
    ...config,
    database: { ...database, max_connections: Math.max(MIN_CONNECTIONS, shareOf(database.max_connections, count)) },
    git: {
      ...git,
      pack_cache_size: Math.floor(git.pack_cache_size / count),
    },
  }
}

/** The limits of the git layer in one of `count` processes. */
function gitLimitsOfProcess(count: number): GitLimits {
  const { objectCacheBytes, resultCacheBytes, maxReaders, maxCommands, maxPacedCommands } = DEFAULT_LIMITS
  return {
    ...DEFAULT_LIMITS,
    objectCacheBytes: shareOf(objectCacheBytes, count),
    resultCacheBytes: shareOf(resultCacheBytes, count),
    maxReaders: Math.max(DEFAULT_LIMITS.readersPerRepo, shareOf(maxReaders, count)),
    maxCommands: shareOf(maxCommands, count),
    maxPacedCommands: shareOf(maxPacedCommands, count),
  }
}

const createRateLimits = ({ rate_limit: limits }: Config, clock: Clock, processes: Processes): RateLimits => ({
  anonymous: new RateLimit({
    clock,
    processes,
    what: 'expensive requests without credentials',
    perMinute: limits.anonymous_per_minute,
    burst: limits.anonymous_per_minute,
  }),
  passwords: new RateLimit({
    clock,
    processes,
    what: 'password checks',
    perMinute: limits.passwords_per_minute,
    burst: limits.passwords_per_minute,
  }),
})

/** Replacements and options for tests and commands. */
export interface AppOverrides {
  readonly clock?: Clock
  readonly log?: Logger
  readonly database?: Database
  /** Refuse to start while another server uses the data directory. */
  readonly exclusive?: boolean
  /** Wait for the database (`database.start_timeout`) until this aborts; then reject with its reason. */
  readonly starting?: AbortSignal
  /** The processes of the server; the supervisor holds the lock of the data directory. */
  readonly processes?: Processes
  /** Additional modules, for tests. */
  readonly extraModules?: readonly Module[]
  /** Cost of new password hashes, see `hashPassword`. */
  readonly passwordCost?: number | undefined
  /** Overrides of the constants of modules. */
  readonly tuning?: Partial<Tuning>
  /** Check the payload of every event against its schema. */
  readonly validatePayloads?: boolean
}

/** A module and its parts. */
export interface Composed extends ModuleParts {
  readonly name: string
}

/** The application without a server, as commands use it. */
export interface Composition {
  readonly core: Core
  readonly eventLog: EventLog
  readonly jobQueue: JobQueue
  readonly services: Services
  readonly modules: readonly Composed[]
  readonly addresses: SiteAddresses
  /** Aborts `core.stopping`. */
  beginStop(): void
  close(): Promise<void>
}

/**
 * Opens the data directory, database and repositories, and creates all modules in order. If one fails, everything
 * opened so far is closed.
 */
export async function compose(
  configured: Config,
  modules: readonly Module[],
  overrides: AppOverrides = {},
): Promise<Composition> {
  const opened = new AsyncDisposableStack()
  try {
    return await open(opened, { configured, modules, overrides })
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

interface Parts {
  readonly configured: Config
  readonly modules: readonly Module[]
  readonly overrides: AppOverrides
}

/** Registers the close function of each part in `opened`, in the order of opening. */
async function open(opened: AsyncDisposableStack, { configured, modules, overrides }: Parts): Promise<Composition> {
  const isServer = overrides.exclusive === true
  const local = overrides.processes ?? onlyProcess()
  const config = configOfProcess(configured, local.count)
  const dataDir = openDataDir(config.data_dir)
  const lock = isServer && overrides.processes === undefined ? lockServer(config) : undefined
  opened.defer(() => lock?.release())
  const clock = overrides.clock ?? systemClock
  const log = overrides.log ?? createLogger(config.log.level)
  const sqlite = { keepLog: keepsLog(config), locks: local.locks }
  const database = overrides.database ?? openDatabase(dialectFor(config.database, dataDir, sqlite))
  await openSchema(database, { log, seconds: config.database.start_timeout, signal: overrides.starting })
  const joined = await openProcesses(config, { dataDir, log, local, database })
  opened.defer(() => joined.close())
  const { processes } = joined
  const limits = gitLimitsOfProcess(processes.count)
  const git = await createGit({ root: join(dataDir, 'git'), log, clock, processes, limits })
  opened.defer(() => git.close())
  const eventLog = new EventLog({ validatePayloads: overrides.validatePayloads ?? false, processes })
  const jobQueue = new JobQueue({ clock, processes })
  const addresses = createSite(config)
  const { tuning = {} } = overrides
  const stopping = new AbortController()
  const core: Core = {
    config,
    database,
    git,
    clock,
    log,
    events: eventLog,
    jobs: jobQueue,
    schedule: new Schedule({ database, clock, log }),
    blobs: openBlobStores(config, { dataDir, isServer, log, processes, tuning }),
    backupBucket: openBackupBucket(config, log, tuning.storage),
    secrets: createSecretBox(loadSecretKeys(config.security, dataDir)),
    site: addresses.site,
    taskPool: new TaskPool(),
    passwords: new PasswordHasher({ processes: processes.count, cost: overrides.passwordCost }),
    rateLimits: createRateLimits(config, clock, processes),
    setSshPort: addresses.setSshPort,
    dataDir,
    nodeName: nodeName(config),
    cacheDir: joined.cacheDir,
    isServer,
    tuning,
    processes,
    stopping: stopping.signal,
  }
  opened.defer(() => core.backupBucket?.objects.close())
  opened.defer(() => core.blobs.close())
  opened.defer(() => core.taskPool.close())
  const composed: Composed[] = []
  opened.defer(async () => {
    for (const module of composed.toReversed()) await module.close?.()
  })
  const all = [...modules, ...(overrides.extraModules ?? [])]
  const services = await startingAlone(processes, () => createModules(core, all, composed))
  eventLog.install(composed)
  jobQueue.install(composed)
  core.schedule.install(composed.flatMap(({ tasks = [] }) => tasks))
  return {
    core,
    eventLog,
    jobQueue,
    services,
    modules: composed,
    addresses,
    beginStop: () => stopping.abort(),
    close: () => opened.disposeAsync(),
  }
}

interface Opening {
  readonly log: Logger
  /** Timeout for the database, used if there is a signal. */
  readonly seconds: number
  readonly signal: AbortSignal | undefined
}

/** Migrates the schema; closes the database if that fails. */
async function openSchema(database: Database, { log, seconds, signal }: Opening): Promise<void> {
  try {
    if (signal !== undefined) await waitForDatabase(database, { log, seconds, signal })
    const { newer } = await migrate(database)
    if (newer.length > 0)
      log.warn(
        { migrations: newer },
        'the schema was migrated by a newer version of Ingot; this version can still run on it',
      )
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Creates the modules in order and appends them to `composed`. Throws if one needs a service that no earlier module
 * provides, or provides one a second time.
 */
async function createModules(core: Core, modules: readonly Module[], composed: Composed[]): Promise<Services> {
  const services: Record<string, unknown> = {}
  const guards: Record<string, unknown> = {}
  for (const { name, needs, create } of modules) {
    const missing = needs.filter((need) => !(need in services))
    if (missing.length > 0)
      throw new Error(`the module ${name} needs ${missing.join(', ')}, which no earlier module provides`)
    const parts = await create(core, services as unknown as Services, guards as unknown as Guards)
    addOnce(name, services, parts.services ?? {})
    addOnce(name, guards, parts.guards ?? {})
    composed.push({ name, ...parts })
  }
  return services as unknown as Services
}

function addOnce(module: string, to: Record<string, unknown>, given: object): void {
  for (const [name, value] of Object.entries(given)) {
    if (name in to) throw new Error(`the module ${module} provides ${name}, which an earlier module provides`)
    to[name] = value
  }
}

interface SiteAddresses {
  readonly site: Site
  setRootUrl(url: string): void
  /** Sets the port on which the SSH server listens. */
  setSshPort(port: number): void
}

/** Addresses for responses; the root URL and the SSH port come from the configuration or from the listening server. */
function createSite(config: Config): SiteAddresses {
  let root = trimEndOf(config.server.root_url, '/') || listeningUrl(config)
  const { domain, user } = config.ssh
  let port = config.ssh.public_port || config.ssh.port
  const sshPrefix = (): string => {
    const host = domain || new URL(root).hostname
    return port === 22 ? `${user}@${host}:` : `ssh://${user}@${host}:${port}/`
  }
  let prefix = sshPrefix()
  return {
    setSshPort(listening) {
      if (config.ssh.public_port !== 0) return
      port = listening
      prefix = sshPrefix()
    },
    setRootUrl(url) {
      if (config.server.root_url !== '') return
      root = trimEndOf(url, '/')
      prefix = sshPrefix()
    },
    site: {
      rootUrl: () => root,
      noReplyDomain: config.service.no_reply_address,
      sshPrefix() {
        return prefix
      },
    },
  }
}

function listeningUrl({ server: { host, port }, tls }: Config): string {
  return `${isTlsOn(tls) ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${port}`
}
