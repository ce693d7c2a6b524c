import type { Release, SharedLocks } from '../../platform/concurrency/lock-table.ts'

/** The name of the lock: one SQLite database is all that the processes of a server share. */
const NAME = 'database writer'
/** How long a process waits for its turn before it competes for the lock of SQLite itself. */
const PATIENCE_MS = 250

/**
 * The order in which the processes of one server write to an SQLite file: first come, first served. SQLite itself has
 * no queue: a process that finds the file locked has to try again later, and the file is idle meanwhile. Turns only
 * order; what excludes two writers is the lock of SQLite, which other programs take without a turn. So a process that
 * gets no turn for a quarter of a second, because the supervisor or another writer is slow, goes on without.
 */
export class WriteTurns {
  readonly #locks: SharedLocks | undefined
  readonly #patienceMs: number

  /** Without `locks` this process is the only one. */
  constructor(locks: SharedLocks | undefined, patienceMs = PATIENCE_MS) {
    this.#locks = locks
    this.#patienceMs = patienceMs
  }

  /** Waits for the turn of this process. The result ends it. */
  async take(): Promise<() => void> {
    if (this.#locks === undefined) return () => {}
    const granted = this.#locks.lock(NAME, 'exclusive')
    await settledWithin(granted, this.#patienceMs)
    // NOTE: a turn that is refused, since the supervisor has ended, is not given back.
    return () =>
      void granted.then(
        (release) => release(),
        () => {},
      )
  }
}

function settledWithin(granted: Promise<Release>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const settle = (): void => {
      clearTimeout(timer)
      resolve()
    }
    granted.then(settle, settle)
  })
}
