import { Cron } from 'croner'
import type { Database, Tx } from '../db/database.ts'
import type { Clock } from '../platform/clock.ts'
import { notFound } from '../platform/errors.ts'
import type { Logger } from '../platform/logger.ts'
import { claimCronRun, loadCronRuns } from './cron.store.ts'

export interface ScheduledTask {
  /** The name that administrators see. */
  readonly name: string
  /** Cron expression with five fields, UTC. */
  readonly schedule: string
  /** Runs only when an administrator starts it. */
  readonly isOff?: boolean
  /** Enqueues the task's jobs; runs in the transaction that records the run. */
  start(tx: Tx): Promise<void>
}

export interface TaskState {
  readonly name: string
  readonly schedule: string
  readonly nextRunAt: number
  readonly lastRunAt: number
  readonly runsCount: number
}

/** Scheduled tasks: each due time is run by one node. */
export class Schedule {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Logger
  #tasks: ReadonlyMap<string, ScheduledTask> = new Map()
  #crons: Cron[] = []

  constructor(deps: { database: Database; clock: Clock; log: Logger }) {
    this.#database = deps.database
    this.#clock = deps.clock
    this.#log = deps.log
  }

  /** Installs the tasks of all modules. Throws when two have the same name. */
  install(tasks: readonly ScheduledTask[]): void {
    const twice = tasks.find((task, index) => tasks.findIndex(({ name }) => name === task.name) !== index)
    if (twice !== undefined) throw new Error(`the scheduled task ${twice.name} is declared twice`)
    this.#tasks = new Map(tasks.map((task) => [task.name, task]))
  }

  start(): void {
    this.#crons = [...this.#tasks.values()]
      .filter(({ isOff }) => isOff !== true)
      .map((task) => new Cron(task.schedule, { utcOffset: 0, unref: true }, () => this.#runDue(task)))
  }

  stop(): void {
    for (const cron of this.#crons) cron.stop()
    this.#crons = []
  }

  /** Runs a task now, whatever its schedule, and `record` in the same transaction. Throws NotFound. */
  async run(name: string, record?: (tx: Tx) => Promise<void>): Promise<void> {
    const task = this.#tasks.get(name)
    if (task === undefined) throw notFound('no such task')
    await this.#database.transaction(async (tx) => {
      await claimCronRun(tx, name, this.#clock.now())
      await task.start(tx)
      await record?.(tx)
    })
  }

  /** All tasks, ordered by name. */
  async list(): Promise<TaskState[]> {
    const runs = await loadCronRuns(this.#database.read)
    return [...this.#tasks.values()]
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, schedule, isOff }) => {
        const next =
          isOff === true
            ? undefined
            : new Cron(schedule, { utcOffset: 0, paused: true }).nextRun(new Date(this.#clock.now()))
        return {
          name,
          schedule,
          nextRunAt: next?.getTime() ?? 0,
          lastRunAt: runs.get(name)?.lastRunAt ?? 0,
          runsCount: runs.get(name)?.runsCount ?? 0,
        }
      })
  }

  async #runDue(task: ScheduledTask): Promise<void> {
    const minute = Math.floor(this.#clock.now() / 60_000) * 60_000
    try {
      await this.#database.transaction(async (tx) => {
        if (await claimCronRun(tx, task.name, minute)) await task.start(tx)
      })
    } catch (error) {
      this.#log.error({ err: error, task: task.name }, 'scheduled task failed')
    }
  }
}
