import type { Core } from '../../../../core/module.ts'
import { decideRunnerState } from './runner.policy.ts'
import { type RunnerRow, updateTimes } from './runner-login.store.ts'

/** Ages after which times that show nothing new are written again: half of what counts as offline and as idle. */
const ONLINE_GRAIN_MS = 30_000
const ACTIVE_GRAIN_MS = 5_000
const FLUSH_MS = 2_000

/**
 * Writes the times of the requests of runners: at once when a runner was offline or idle, otherwise when they are old,
 * every few seconds for all runners in one statement. A commit for each of them would be most of the work of idle
 * runners.
 */
export class RunnerTimes {
  readonly #core: Pick<Core, 'database' | 'clock' | 'log'>
  /** Whether a request of the runner with this id was about a task, since the last write. */
  readonly #seen = new Map<number, boolean>()
  #timer: NodeJS.Timeout | undefined

  constructor(core: Pick<Core, 'database' | 'clock' | 'log'>) {
    this.#core = core
  }

  /** `isActive`: the request is about a task. */
  async record(row: RunnerRow, isActive: boolean): Promise<void> {
    const { clock, log } = this.#core
    const now = clock.now()
    const isStale = now - row.online_at >= ONLINE_GRAIN_MS || (isActive && now - row.active_at >= ACTIVE_GRAIN_MS)
    if (!isStale) return
    this.#seen.set(row.id, isActive || this.#seen.get(row.id) === true)
    const { isOnline, isBusy } = decideRunnerState({ onlineAt: row.online_at, activeAt: row.active_at }, now)
    if (!isOnline || (isActive && !isBusy)) return this.flush()
    this.#timer ??= setTimeout(
      () => void this.flush().catch((error: unknown) => log.error({ err: error }, 'failed to record times of runners')),
      FLUSH_MS,
    ).unref()
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const all = [...this.#seen.keys()]
    const active = all.filter((id) => this.#seen.get(id) === true)
    this.#seen.clear()
    if (all.length === 0) return
    const { database, clock } = this.#core
    await database.transaction((tx) => updateTimes(tx, { all, active, at: clock.now() }))
  }
}
