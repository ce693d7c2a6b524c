import type { Clock } from '../../../core/platform/clock.ts'
import { errors } from '../../errors.ts'
import { boundedCache } from '../../../core/platform/lru.ts'
import type { Announcer } from '../../../core/platform/concurrency/processes.ts'

const FAILED = 'failed sign-in'
const SUCCEEDED = 'sign-in'
const WINDOW_MS = 15 * 60_000
const STEP_MS = 200
const MAX_DELAY_MS = 5_000
const MAX_WAITING = 8

interface Failures {
  count: number
  waiting: number
  since: number
}

/**
 * Slows down password guessing. After `attempts` wrong passwords for one account from one address (or ten times as many
 * from one address), each further attempt waits, up to five seconds; when too many are waiting, the rest is refused.
 * All processes of the server share the counts.
 */
export class LoginThrottle {
  readonly #failures = boundedCache<string, Failures>(50_000)
  readonly #clock: Clock
  readonly #attempts: number
  readonly #processes: Announcer | undefined

  constructor(clock: Clock, attempts: number, processes?: Announcer) {
    this.#clock = clock
    this.#attempts = attempts
    this.#processes = processes
    processes?.onAnnounced(FAILED, (key) => this.#count(key))
    processes?.onAnnounced(SUCCEEDED, (key) => this.#failures.delete(key))
  }

  /** Waits before a password check when this account or address has failed often. */
  async before(account: string, address: string): Promise<void> {
    await this.#wait(`${account}|${address}`, this.#attempts)
    await this.#wait(address, this.#attempts * 10)
  }

  failed(account: string, address: string): void {
    for (const key of [`${account}|${address}`, address]) {
      this.#count(key)
      this.#processes?.announce(FAILED, key)
    }
  }

  succeeded(account: string, address: string): void {
    const key = `${account}|${address}`
    if (this.#failures.delete(key)) this.#processes?.announce(SUCCEEDED, key)
  }

  #count(key: string): void {
    const entry = this.#entry(key) ?? { count: 0, waiting: 0, since: this.#clock.now() }
    entry.count++
    this.#failures.set(key, entry)
  }

  #entry(key: string): Failures | undefined {
    const entry = this.#failures.get(key)
    if (entry && this.#clock.now() - entry.since > WINDOW_MS && entry.waiting === 0) {
      this.#failures.delete(key)
      return undefined
    }
    return entry
  }

  async #wait(key: string, allowed: number): Promise<void> {
    const entry = this.#entry(key)
    if (entry === undefined || entry.count < allowed) return
    if (entry.waiting >= MAX_WAITING) throw errors.tooManyFailedSignIns()
    entry.waiting++
    try {
      await new Promise((resolve) => setTimeout(resolve, Math.min(MAX_DELAY_MS, STEP_MS * (entry.count - allowed + 1))))
    } finally {
      entry.waiting--
    }
  }
}
