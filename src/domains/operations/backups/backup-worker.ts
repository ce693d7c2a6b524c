import type { Logger } from '../../../core/platform/logger.ts'
import type { Release, SharedLocks } from '../../../core/platform/concurrency/lock-table.ts'
import type { Worker } from '../../../core/module.ts'
import type { FailureNote } from './failure-note.ts'

/** One of the things that are copied. */
export interface Copier {
  /** For the log. */
  readonly what: string
  readonly intervalMs: number
  /** Copies what is new; true when there is more. Throws when the place cannot be used. */
  copy(): Promise<boolean>
  /** Copies the rest. */
  close(): Promise<void>
}

interface BackupWorkerDeps {
  readonly copiers: readonly Copier[]
  readonly log: Logger
  /** Aborted when the server stops, which ends long copies. */
  readonly stopping: AbortController
  /** What the doctor reads. */
  readonly note: FailureNote
  /** The right to copy to the place. */
  readonly claim: { keep(): Promise<void>; release(): Promise<void> }
  /** Of all processes of the server: one of them copies. */
  readonly locks: SharedLocks | undefined
}

const CLAIM_MS = 10_000
const LONGEST_PAUSE_MS = 30_000
/** For the last copy of a server that stops. */
const CLOSE_MS = 10_000

/** Copies while the server runs. What fails is tried again with growing pauses, and disturbs nothing else. */
export class BackupWorker implements Worker {
  readonly #deps: BackupWorkerDeps
  #running: Promise<void> | undefined
  #failures = 0
  #isCopying = false

  constructor(deps: BackupWorkerDeps) {
    this.#deps = deps
  }

  /** Copies that failed since the start. */
  get failures(): number {
    return this.#failures
  }

  /** Whether this process is the one that copies. */
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

  /** Copies everything that is new: for tests. */
  async drain(): Promise<boolean> {
    return false
  }

  async #run(): Promise<void> {
    const { copiers, locks, claim, note } = this.#deps
    const release = await this.#lock(locks)
    try {
      this.#isCopying = true
      await note.clear()
      // What is wrong with the claim is reported by the copies that need it.
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
          this.#deps.log.warn({ err: error, what: copier.what }, 'the backup failed and is tried again')
      }
      if (!more)
        await pause(Math.min(copier.intervalMs * 2 ** failed, Math.max(copier.intervalMs, LONGEST_PAUSE_MS)), signal)
    }
  }

  async #close(): Promise<void> {
    const { copiers, claim, log } = this.#deps
    const close = ({ what, close: work }: Pick<Copier, 'close' | 'what'>): Promise<void> =>
      work().catch((error: unknown) => log.warn({ err: error, what }, 'the last copy before the stop failed'))
    const closing = Promise.all(
      copiers.map((copier) => close({ what: copier.what, close: () => copier.close() })),
    ).then(() => close({ what: 'owner', close: () => claim.release() }))
    const enough = new AbortController()
    await Promise.race([closing, pause(CLOSE_MS, enough.signal)])
    enough.abort()
  }
}

/** What the store of files said, too. */
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
