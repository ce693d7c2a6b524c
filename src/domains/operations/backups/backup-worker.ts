import type { Logger } from '../../../core/platform/logger.ts'
import type { Release, SharedLocks } from '../../../core/platform/concurrency/lock-table.ts'
import type { Worker } from '../../../core/module.ts'
import type { FailureNote } from './failure-note.ts'

/** A copier of one part of the data. */
export interface Copier {
  /** The name of the part in log messages. */
  readonly what: string
  readonly intervalMs: number
  /** Copies new data; returns true when there is more. Throws when the destination is unavailable. */
  copy(): Promise<boolean>
  /** Copies the remaining data. */
  close(): Promise<void>
}

interface BackupWorkerDeps {
  readonly copiers: readonly Copier[]
  readonly log: Logger
  /** Aborted when the server stops, which ends long copies. */
  readonly stopping: AbortController
  /** The status file for the doctor. */
  readonly note: FailureNote
  /** The right to copy to the destination. */
  readonly claim: { keep(): Promise<void>; release(): Promise<void> }
  /** Locks shared by all processes of the server, one of which copies. */
  readonly locks: SharedLocks | undefined
}

const CLAIM_MS = 10_000
const LONGEST_PAUSE_MS = 30_000
/** The time limit for the last copy when the server stops. */
const CLOSE_MS = 10_000

/** Copies while the server runs. Failed copies are retried with growing pauses without affecting other work. */
export class BackupWorker implements Worker {
  readonly #deps: BackupWorkerDeps
  #running: Promise<void> | undefined
  #failures = 0
  #isCopying = false

  constructor(deps: BackupWorkerDeps) {
    this.#deps = deps
  }

  /** Failed copies since the start. */
  get failures(): number {
    return this.#failures
  }

  /** Whether this process runs the backup. */
  get isCopying(): boolean {
    return this.#isCopying
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#deps.stopping.abort()
    await this.#running
  }

  /** Copies all new data; for tests. */
  async drain(): Promise<boolean> {
    return false
  }

  async #run(): Promise<void> {
    const { copiers, locks, claim, note } = this.#deps
    const release = await this.#lock(locks)
    try {
      this.#isCopying = true
      await note.clear()
      // Errors of the claim are reported by the copies that require it.
      const keep = (): Promise<boolean> =>
        claim.keep().then(
          () => false,
          () => false,
        )
      const keeper = { what: 'owner', intervalMs: CLAIM_MS, copy: keep }
      await Promise.all([...copiers, keeper].map((each) => this.#repeat(each)))
      await this.#close()
    } finally {
      release?.()
    }
  }

  async #lock(locks: SharedLocks | undefined): Promise<Release | undefined> {
    return locks?.lock('backup', 'exclusive')
  }

  async #repeat(copier: Omit<Copier, 'close'>): Promise<void> {
    const { signal } = this.#deps.stopping
    let failed = 0
    while (!signal.aborted) {
      let more = false
      try {
        more = await copier.copy()
        if (failed > 0) this.#deps.log.info({ what: copier.what }, 'backup resumed')
        failed = 0
        await this.#deps.note.delete(copier.what)
      } catch (error) {
        this.#failures++
        await this.#deps.note.set(copier.what, reasonOf(error as Error))
        if (failed++ === 0)
          this.#deps.log.warn({ err: error, what: copier.what }, 'the backup failed and will be retried')
      }
      if (!more)
        await pause(Math.min(copier.intervalMs * 2 ** failed, Math.max(copier.intervalMs, LONGEST_PAUSE_MS)), signal)
    }
  }

  async #close(): Promise<void> {
    const { copiers, claim, log } = this.#deps
    const close = ({ what, close: work }: Pick<Copier, 'close' | 'what'>): Promise<void> =>
      work().catch((error: unknown) => log.warn({ err: error, what }, 'the last copy before the shutdown failed'))
    const closing = Promise.all(
      copiers.map((copier) => close({ what: copier.what, close: () => copier.close() })),
    ).then(() => close({ what: 'owner', close: () => claim.release() }))
    const enough = new AbortController()
    await Promise.race([closing, pause(CLOSE_MS, enough.signal)])
    enough.abort()
  }
}

/** Includes the message of the file store. */
const reasonOf = ({ message, cause }: Error): string =>
  cause instanceof Error ? `${message} (${cause.message || cause.name})` : message

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
