import { isDomainError } from '../errors.ts'
import type { Logger } from '../logger.ts'

/** A delay, so that the request that created the work is answered first. */
const SOON_MS = 20
/** The interval of calls while the database is unavailable. */
const OUTAGE_INTERVAL_MS = 500
/** Milliseconds after an outage of the database; four times the time in which a process notices its end. */
const AFTER_OUTAGE_MS = 2_000

/**
 * Calls `work` until it reports that nothing is due, then sleeps until woken or `interval` milliseconds have passed.
 * One call at a time; a failing call is logged and retried after the interval, while the database is unavailable every
 * half second without a line for each.
 */
export class WorkerLoop {
  readonly #work: () => Promise<boolean>
  readonly #interval: number
  readonly #log: Logger
  #running: Promise<void> | undefined
  #stopped = true
  #woken = false
  #wake: (() => void) | undefined
  #soon: NodeJS.Timeout | undefined
  #isUnavailable = false
  /** `performance.now()` of the last call that found the database unavailable. */
  #unavailableAt = -Infinity

  constructor(options: { work: () => Promise<boolean>; interval: number; log: Logger }) {
    this.#work = options.work
    this.#interval = options.interval
    this.#log = options.log
  }

  /**
   * The database has just become available again. Processes that ran in the meantime are about to extend their leases:
   * they still own what they leased, although the leases may have expired.
   */
  get isJustBack(): boolean {
    return performance.now() - this.#unavailableAt < AFTER_OUTAGE_MS
  }

  start(): void {
    if (!this.#stopped) return
    this.#stopped = false
    this.#running = this.#run()
  }

  /** There may be something to do. */
  wake(): void {
    this.#woken = true
    this.#wake?.()
  }

  /** Wakes the loop for work that may wait briefly: a burst of calls wakes it once. Not needed at the start. */
  wakeSoon(): void {
    if (this.#stopped) return
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      this.wake()
    }, SOON_MS).unref()
  }

  /** Resolves when the call under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#soon)
    this.#soon = undefined
    this.wake()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = false
      if (await this.#once()) continue
      if (!this.#woken && !this.#stopped)
        await this.#sleep(this.#isUnavailable ? Math.min(OUTAGE_INTERVAL_MS, this.#interval) : this.#interval)
    }
  }

  async #once(): Promise<boolean> {
    try {
      const more = await this.#work()
      this.#isUnavailable = false
      return more
    } catch (error) {
      const wasUnavailable = this.#isUnavailable
      this.#isUnavailable = isDomainError(error, 'unavailable')
      if (this.#isUnavailable) this.#unavailableAt = performance.now()
      if (!(wasUnavailable && this.#isUnavailable)) this.#log.error({ err: error }, 'background work failed')
      return false
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve()
      }
      const timer = setTimeout(done, ms)
      timer.unref()
      this.#wake = done
    })
  }
}
