import { join } from 'node:path'
import type { Config } from '../config/index.ts'
import { type Database, dialectFor, openDatabase } from '../db/database.ts'
import { nodeName } from './cluster/cluster-settings.ts'
import { migrate } from '../db/migrate.ts'
import { EventLog } from '../events/index.ts'
import { createGit } from '../git/index.ts'
import { JobQueue, Schedule } from '../jobs/index.ts'
import { type Clock, systemClock } from '../platform/clock.ts'
import { onlyProcess, type Processes } from '../platform/concurrency/processes.ts'
import { TaskPool } from '../platform/isolation/index.ts'
import { PasswordHasher } from '../platform/crypto/password-hasher.ts'
import { createLogger, type Logger } from '../platform/logger.ts'
import { createSecretBox } from '../platform/crypto/secret-box.ts'
import type { Core, Guards, Services, Subject, SubjectParts } from '../subjects/subject.ts'
import { lockServer, openProcesses, startingAlone } from './cluster/open-processes.ts'
import { openDataDir } from './data-dir.ts'
import { createRateLimits } from './rate-limits.ts'
import { keepsLog, openBackupBucket, openBlobStores } from './storage.ts'
import { loadSecretKeys } from './secret-key.ts'
import { waitForDatabase } from './wait-for-database.ts'
import { createSite, type SiteAddresses } from './site.ts'
import { configOfProcess, gitLimitsOfProcess } from './workers/share-limits.ts'

/** What tests and commands may put in place of the real parts. */
export interface AppOverrides {
  readonly clock?: Clock
  readonly log?: Logger
  readonly database?: Database
  /** Refuse to start while another server uses the data directory. */
  readonly exclusive?: boolean
  /** Wait for the database (`database.start_timeout`) until this aborts, which rejects with its reason. */
  readonly starting?: AbortSignal
  /** The processes of the server, whose supervisor has locked the data directory. */
  readonly processes?: Processes
  /** Subjects after the product's own: tests add one. */
  readonly extraSubjects?: readonly Subject[]
  /** Of the hashes of new passwords, see `hashPassword`. */
  readonly passwordCost?: number | undefined
  /** Check the payload of every event against its schema. */
  readonly validatePayloads?: boolean
}

/** A subject with its parts. */
interface Composed extends SubjectParts {
  readonly name: string
}

/** The product without a server: what commands work on. */
export interface Composition {
  readonly core: Core
  readonly eventLog: EventLog
  readonly jobQueue: JobQueue
  readonly services: Services
  readonly subjects: readonly Composed[]
  readonly addresses: SiteAddresses
  /** Aborts `core.stopping`. */
  beginStop(): void
  close(): Promise<void>
}

/**
 * Opens the data directory, database and repositories and makes every subject, in order. Closes what it has opened when
 * one of them fails.
 */
export async function compose(
  configured: Config,
  subjects: readonly Subject[],
  overrides: AppOverrides = {},
): Promise<Composition> {
  const opened = new AsyncDisposableStack()
  try {
    return await open(opened, { configured, subjects, overrides })
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

interface Parts {
  readonly configured: Config
  readonly subjects: readonly Subject[]
  readonly overrides: AppOverrides
}

/** Adds to `opened` how each part is closed, in the order of opening. */
async function open(opened: AsyncDisposableStack, { configured, subjects, overrides }: Parts): Promise<Composition> {
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
    blobs: openBlobStores(config, { dataDir, isServer, log, processes }),
    backupBucket: openBackupBucket(config, log),
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
    processes,
    stopping: stopping.signal,
  }
  opened.defer(() => core.backupBucket?.objects.close())
  opened.defer(() => core.blobs.close())
  opened.defer(() => core.taskPool.close())
  const composed: Composed[] = []
  opened.defer(async () => {
    for (const subject of composed.toReversed()) await subject.close?.()
  })
  const all = [...subjects, ...(overrides.extraSubjects ?? [])]
  const services = await startingAlone(processes, () => createSubjects(core, all, composed))
  eventLog.install(composed)
  jobQueue.install(composed)
  core.schedule.install(composed.flatMap(({ tasks = [] }) => tasks))
  return {
    core,
    eventLog,
    jobQueue,
    services,
    subjects: composed,
    addresses,
    beginStop: () => stopping.abort(),
    close: () => opened.disposeAsync(),
  }
}

interface Opening {
  readonly log: Logger
  /** To wait for the database where there is a signal. */
  readonly seconds: number
  readonly signal: AbortSignal | undefined
}

/** Brings the schema up to date; closes the database when that fails. */
async function openSchema(database: Database, { log, seconds, signal }: Opening): Promise<void> {
  try {
    if (signal !== undefined) await waitForDatabase(database, { log, seconds, signal })
    const { newer } = await migrate(database)
    if (newer.length > 0)
      log.warn({ migrations: newer }, 'the schema is that of a newer version of Ingot, which this one can run beside')
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Makes the subjects in order and adds each to `composed`. Throws when one needs a service that no earlier subject
 * provides, or provides one twice.
 */
async function createSubjects(core: Core, subjects: readonly Subject[], composed: Composed[]): Promise<Services> {
  const services: Record<string, unknown> = {}
  const guards: Record<string, unknown> = {}
  for (const { name, needs, create } of subjects) {
    const missing = needs.filter((need) => !(need in services))
    if (missing.length > 0)
      throw new Error(`the subject ${name} needs ${missing.join(', ')}, which no earlier subject provides`)
    const parts = await create(core, services as unknown as Services, guards as unknown as Guards)
    addOnce(name, services, parts.services ?? {})
    addOnce(name, guards, parts.guards ?? {})
    composed.push({ name, ...parts })
  }
  return services as unknown as Services
}

function addOnce(subject: string, to: Record<string, unknown>, given: object): void {
  for (const [name, value] of Object.entries(given)) {
    if (name in to) throw new Error(`the subject ${subject} provides ${name}, which an earlier subject provides`)
    to[name] = value
  }
}
