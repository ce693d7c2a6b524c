import type { FastifyInstance } from 'fastify'
import type { Config } from './config/index.ts'
import type { Database } from './db/database.ts'
import type { SealedColumns } from './db/sealed-columns.ts'
import type { AppendSignal, Events, EventSchemas, Projections, Subscriptions } from './events/index.ts'
import type { Git } from './git/index.ts'
import type { Operation } from './http/operation.ts'
import type { JobDefinitions, Jobs, Schedule, ScheduledTask } from './jobs/index.ts'
import type { BlobStores, S3Folder } from './blobs/index.ts'
import type { Clock } from './platform/clock.ts'
import type { Processes } from './platform/concurrency/processes.ts'
import type { RateLimit } from './platform/concurrency/rate-limit.ts'
import type { PasswordHasher } from './platform/crypto/password-hasher.ts'
import type { TaskPool } from './platform/isolation/index.ts'
import type { Logger } from './platform/logger.ts'
import type { SecretBox } from './platform/crypto/secret-box.ts'
import type { Site } from './platform/site.ts'

export interface RateLimits {
  /** What callers without credentials may make the server compute. */
  readonly anonymous: RateLimit
  readonly passwords: RateLimit
}

/** What every module may use: the engines below the modules. */
export interface Core {
  readonly config: Config
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly log: Logger
  readonly events: Events & AppendSignal
  readonly jobs: Jobs
  readonly schedule: Schedule
  /** Stored bytes; each module opens a store of its own. */
  readonly blobs: BlobStores
  /** The bucket of continuous backups, if they go to one. */
  readonly backupBucket: S3Folder | undefined
  /** Encrypts values that the database must not contain unencrypted. */
  readonly secrets: SecretBox
  readonly site: Site
  /** Child processes for computations on behalf of users, which may exceed memory and time there. */
  readonly taskPool: TaskPool
  readonly passwords: PasswordHasher
  /** Rate limits by address, see `clientNetwork`. */
  readonly rateLimits: RateLimits
  /** Absolute path of the data directory. */
  readonly dataDir: string
  /** Absolute path of the directory of caches, which processes of other machines do not share. */
  readonly cacheDir: string
  /** The name of this server among those that use the database. */
  readonly nodeName: string
  /** False in a command, which may run while the server runs. */
  readonly isServer: boolean
  /** Limits that tests put in place of the constants of modules. */
  readonly tuning: Partial<Tuning>
  /** What the processes of the server share: locks, announcements. */
  readonly processes: Processes
  /** Aborted when the server is to stop soon: it still answers, but should get no new clients. */
  readonly stopping: AbortSignal
  /** Sets in `site` the port on which the SSH server listens. */
  setSshPort(port: number): void
}

/**
 * The services of all modules, by name. Each module adds its own by declaration merging in its `*.module.ts` and
 * gets the ones it names in `needs`, which earlier modules must provide.
 *
 * @public
 */
// oxlint-disable-next-line typescript/no-empty-interface -- extended by the modules
export interface Services {}

/**
 * The guards of all modules, by name; extended as `Services` is.
 *
 * @public
 */
// oxlint-disable-next-line typescript/no-empty-interface -- extended by the modules
export interface Guards {}

/**
 * Limits that are constants, not settings, by module; extended as `Services` is.
 *
 * @public
 */
export interface Tuning {
  /** Milliseconds until the doctor checks its findings on a running server again. */
  readonly recheckMs: number
}

/** A further server, such as SSH. */
export interface Listener {
  listen(): Promise<void>
  /** Waits at most this many seconds for running work, then closes. */
  close(seconds: number): Promise<void>
}

/** Something that a check of the doctor found. */
export interface Finding {
  readonly what: string
  /** `note`: nothing is wrong, but of interest to an operator. */
  readonly state: 'fixed' | 'note' | 'problem'
}

export interface CheckOptions {
  /** Repairs problems that need no decision: rows from refs, counters from rows, leftovers. */
  readonly fix: boolean
  /** Skips checks that read every byte. */
  readonly quick: boolean
  progress?(done: number, total: number): void
}

/** A check of `ingot doctor`. */
export interface DoctorCheck {
  /** Findings of checks of the same name are printed together. */
  readonly name: string
  /** The check only repairs: it runs with `fix` alone. */
  readonly fixOnly?: boolean
  run(options: CheckOptions): AsyncIterable<Finding>
}

/** Background work with a queue of its own. */
export interface Worker {
  start(): void
  /** Resolves when nothing is running; unfinished work continues at the next start. */
  stop(): Promise<void>
  /** Works until nothing is due; returns whether there was anything. */
  drain(): Promise<boolean>
}

/** What a module gives to the server. */
export interface ModuleParts<Provides = Partial<Services>> {
  readonly services?: Provides
  readonly guards?: Partial<Guards>
  readonly operations?: readonly Operation[]
  /** Addresses outside of /api/v1. */
  routes?(http: FastifyInstance): Promise<void> | void
  /** Runs before any route is registered: hooks for all requests. */
  prepare?(http: FastifyInstance): void
  readonly events?: EventSchemas
  readonly projections?: Projections
  readonly subscriptions?: Subscriptions
  readonly jobs?: JobDefinitions
  readonly tasks?: readonly ScheduledTask[]
  readonly workers?: readonly Worker[]
  readonly checks?: readonly DoctorCheck[]
  /** What it stores encrypted, so that the key can be changed. */
  readonly sealedColumns?: readonly SealedColumns[]
  readonly listeners?: readonly Listener[]
  /** Enqueues checks that run once after every start, since a process may have been killed. */
  recover?(): Promise<void>
  /** Ends timers and connections of the module; runs before the database closes. */
  close?(): Promise<void> | void
}

export interface Module {
  readonly name: string
  readonly needs: readonly (keyof Services)[]
  create(core: Core, services: Services, guards: Guards): Promise<ModuleParts> | ModuleParts
}

interface ModuleInput<Need extends keyof Services> {
  readonly name: string
  /** Services of earlier modules. */
  readonly needs: readonly Need[]
  create(core: Core, services: Pick<Services, Need>, guards: Guards): Promise<ModuleParts> | ModuleParts
}

/** Declares a module: its name, the services it uses, and a function that creates its parts from them. */
export const defineModule = <Need extends keyof Services = never>(module: ModuleInput<Need>): Module =>
  module as unknown as Module
