import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Tx } from '../db/database.ts'
import { freeLeasesOfEnded } from '../db/ended-leases.ts'
import { retryUntilAvailable } from '../db/retry-until-available.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { type Members, onlyProcess } from '../platform/concurrency/processes.ts'
import { isOutOfSpace } from '../platform/files/out-of-space.ts'
import { inBackground } from '../platform/process/process.ts'
import { WorkerLoop } from '../platform/process/worker-loop.ts'
import {
  countJobs,
  deleteJobs,
  extendLease,
  failJob,
  freeJobsOf,
  type JobRow,
  leaseJobs,
  listDueKinds,
  listJobHolders,
} from './job.store.ts'
import type { JobQueue } from './queue.ts'

const LEASE_MS = 60_000
const HEARTBEAT_MS = 20_000
const INTERVAL_MS = 5_000
const MAX_ATTEMPTS = 10
/**
 * The maximum number of counted attempts of a job that a full disk stops: it is retried soon after there is space, and
 * never becomes a dead letter.
 */
const FULL_DISK_ATTEMPTS = 3

interface RunnerDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly queue: JobQueue
  /** Undefined if this is the only process. */
  readonly members?: Members
  /** Jobs of each group at once. */
  readonly limit?: number
  /** Milliseconds until due jobs are looked for without a sign of them. */
  readonly interval?: number | undefined
}

/**
 * Runs due jobs, a few of each group at a time. A job whose process has ended is taken over at once, one whose process
 * sends no heartbeat when its lease has expired.
 */
export class JobRunner {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Logger
  readonly #queue: JobQueue
  readonly #members: Members
  readonly #limit: number
  readonly #loop: WorkerLoop
  /** Each with its group. */
  readonly #running = new Map<Promise<void>, string>()
  /** The ids of jobs that have ended well and are not deleted yet. */
  readonly #done = new Set<number>()
  readonly #abort = new AbortController()
  readonly #unsubscribe: () => void

  #stopFreeing: (() => void) | undefined

  constructor(deps: RunnerDeps) {
    this.#database = deps.database
    this.#clock = deps.clock
    this.#log = deps.log
    this.#queue = deps.queue
    this.#members = deps.members ?? onlyProcess()
    this.#limit = deps.limit ?? 2
    this.#loop = new WorkerLoop({
      work: () => this.#takeSome(),
      interval: deps.interval ?? INTERVAL_MS,
      log: deps.log,
    })
    this.#unsubscribe = deps.queue.onEnqueued(() => this.#loop.wakeSoon())
  }

  start(): void {
    this.#stopFreeing ??= freeLeasesOfEnded(
      { database: this.#database, log: this.#log, members: this.#members },
      { listHolders: listJobHolders, free: freeJobsOf, onFreed: () => this.#loop.wake() },
    )
    this.#loop.start()
  }

  /** Claims no more jobs, aborts the signals of running ones and waits for them. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#stopFreeing?.()
    await this.#loop.stop()
    this.#abort.abort()
    await Promise.all(this.#running.keys())
    if (this.#done.size === 0) return
    await this.#record((tx) => deleteJobs(tx, [...this.#done])).catch((error: unknown) =>
      this.#log.error({ err: error }, 'ended jobs not deleted; their leases will run out'),
    )
  }

  /** Runs jobs until none is due, for tests and commands. */
  async drain(): Promise<void> {
    while ((await this.#takeSome()) || this.#running.size > 0) await Promise.all(this.#running.keys())
  }

  /** Jobs that are not done: waiting or running, without the dead. */
  countOpen(): Promise<number> {
    return countJobs(this.#database.read, ['waiting', 'running'])
  }

  /** Claims jobs in the same transaction that deletes those that are done. */
  async #takeSome(): Promise<boolean> {
    const due = { now: this.#clock.now(), takesOver: !this.#loop.isJustBack }
    const kinds = Map.groupBy(await listDueKinds(this.#database.read, due), (kind) => this.#queue.groupOf(kind))
    const open = [...kinds].flatMap(([group, kinds]) => {
      const limit = this.#limit - [...this.#running.values()].filter((other) => other === group).length
      return limit <= 0 ? [] : { group, kinds, limit }
    })
    const done = [...this.#done]
    if (open.length + done.length === 0) return false
    const lease = { ...due, leaseUntil: due.now + LEASE_MS, holder: this.#members.self }
    const taken = await this.#database.transaction(async (tx) => {
      await deleteJobs(tx, done)
      const jobs: { readonly group: string; readonly job: JobRow }[] = []
      for (const { group, ...of } of open)
        jobs.push(...(await leaseJobs(tx, { ...lease, ...of })).map((job) => ({ group, job })))
      return jobs
    })
    for (const id of done) this.#done.delete(id)
    for (const { group, job } of taken) {
      const running: Promise<void> = this.#run(job).finally(() => {
        this.#running.delete(running)
        this.#loop.wake()
      })
      this.#running.set(running, group)
    }
    return taken.length > 0
  }

  async #run(job: JobRow): Promise<void> {
    const lost = new AbortController()
    const over = new AbortController()
    void this.#keepLease(job, lost, over.signal)
    const signal = AbortSignal.any([this.#abort.signal, lost.signal])
    try {
      const definition = this.#queue.definitionOf(job.kind)
      if (definition === undefined) throw new Error(`no module declares jobs of the kind ${job.kind}`)
      await inBackground(() => definition.handler(JSON.parse(job.payload) as never, signal))
      this.#done.add(job.id)
    } catch (error) {
      await this.#failed(job, error)
    } finally {
      over.abort()
    }
  }

  /** Extends the lease of a job until `over`; while the database is unavailable, as soon as it is available again. */
  async #keepLease(job: JobRow, lost: AbortController, over: AbortSignal): Promise<void> {
    const extend = (tx: Tx) => extendLease(tx, job, this.#clock.now() + LEASE_MS)
    while (!over.aborted && !lost.signal.aborted) {
      try {
        await sleep(HEARTBEAT_MS, undefined, { signal: over })
        const isKept = await retryUntilAvailable(() => this.#database.transaction(extend), over)
        if (!isKept) lost.abort(new Error('another process has taken over the job'))
      } catch (error) {
        if (!over.aborted) this.#log.warn({ err: error, job: job.id }, 'lease not extended')
      }
    }
  }

  /** While the process runs, the outcome of a job is recorded as soon as the database can be reached. */
  #record<T>(write: (tx: Tx) => Promise<T>): Promise<T> {
    return retryUntilAvailable(() => this.#database.transaction(write), this.#abort.signal)
  }

  async #failed(job: JobRow, error: unknown): Promise<void> {
    const stopped = this.#abort.signal.aborted
    const failed = isOutOfSpace(error) ? Math.min(job.attempts, FULL_DISK_ATTEMPTS) : job.attempts
    // NOTE: a job that the shutdown stopped has not failed; it is due again at once.
    const attempts = stopped ? job.attempts - 1 : failed
    const last = attempts >= MAX_ATTEMPTS && !stopped
    if (stopped) this.#log.info({ job: job.id, kind: job.kind }, 'job stopped by the shutdown')
    else this.#log.error({ err: error, job: job.id, kind: job.kind, attempts: job.attempts, dead: last }, 'job failed')
    const wait = stopped ? 0 : Math.min(3_600_000, 1_000 * 2 ** attempts) * (0.5 + Math.random())
    const failure = {
      error: error instanceof Error ? error.message : String(error),
      retryAt: last ? undefined : this.#clock.now() + Math.round(wait),
      attempts,
    }
    try {
      const isRecorded = await this.#record((tx) => failJob(tx, job, failure))
      if (last && isRecorded)
        await this.#queue.definitionOf(job.kind)?.onDead?.(JSON.parse(job.payload) as never, error)
    } catch (problem) {
      this.#log.error({ err: problem, job: job.id }, 'failure not recorded; the lease will run out')
    }
  }
}
