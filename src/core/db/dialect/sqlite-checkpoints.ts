import { Worker } from 'node:worker_threads'
import { threadEnvironment } from '../../platform/process/thread-environment.ts'
import type { CheckpointRequest } from './sqlite-checkpoint-worker.ts'

/** The log's length: all committed frames, and how many of them, from the first on, are in the database. */
export interface LogLength {
  readonly frames: number
  readonly written: number
}

export interface CheckpointsDeps {
  /** The database file. */
  readonly file: string
  /** Number of frames missing in the database at which they are written into it. */
  readonly limit: number
  /** Undefined if there is no log, or another process is changing it. */
  length(): LogLength | undefined
  /** Runs work while no process can write. */
  runAlone(work: () => Promise<void>): Promise<void>
}

const IDLE_MS = 60_000
const HEAP_MB = 16

/**
 * Writes the log into the database on a thread with its own connection, so that neither requests nor commits wait for
 * the pages and the two syncs. The first pass runs while writers continue; the second, for the few frames added since,
 * runs while no transaction writes, so that the next commit finds the log fully written and restarts it.
 * NOTE: if the thread dies or falls behind, commits write the log themselves once it is four times as long
 * (`wal_autocheckpoint` in sqlite.ts).
 */
export class Checkpoints {
  readonly #deps: CheckpointsDeps
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isClosed = false
  /**
   * Length of the log after a checkpoint that could not write all of it: the next one waits for as many frames again.
   */
  #stuckAt = 0

  constructor(deps: CheckpointsDeps) {
    this.#deps = deps
  }

  /** Called after each commit of this process. Never throws. */
  noteCommit(): void {
    if (this.#running !== undefined || this.#isClosed || !this.#isDue()) return
    this.#running = this.#run().finally(() => (this.#running = undefined))
  }

  /** Resolves when the thread has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
    await this.#end()
  }

  #isDue(): boolean {
    const log = this.#length()
    if (log === undefined) return false
    if (log.frames < this.#stuckAt) this.#stuckAt = 0
    // NOTE: a process that already has a thread takes precedence, so that few of several writing processes have one.
    const limit = this.#worker === undefined ? this.#deps.limit * 1.25 : this.#deps.limit
    return log.frames - Math.max(log.written, this.#stuckAt) >= limit
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    clearTimeout(this.#idle)
    try {
      await this.#checkpoint()
      const left = this.#left()
      // NOTE: if many frames remain, a reader needs an older state, and stopping the writers would not help.
      if (left > 0 && left < this.#deps.limit) await this.#deps.runAlone(() => this.#checkpoint())
    } catch {
      // NOTE: another process writes for long, or the database is closed.
    }
    this.#stuckAt = this.#left() > 0 ? (this.#length()?.frames ?? 0) : 0
    if (!this.#isClosed) this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref()
  }

  #left(): number {
    const log = this.#length()
    return log === undefined ? 0 : log.frames - log.written
  }

  #length(): LogLength | undefined {
    try {
      return this.#deps.length()
    } catch {
      // NOTE: a failing disk is reported by the commits.
      return undefined
    }
  }

  /** Resolves when it was attempted. */
  async #checkpoint(): Promise<void> {
    const worker = (this.#worker ??= this.#start())
    const { promise, resolve } = Promise.withResolvers<unknown>()
    worker.once('message', resolve).once('exit', resolve)
    worker.ref()
    worker.postMessage('checkpoint' satisfies CheckpointRequest)
    await promise
    worker.off('message', resolve).off('exit', resolve)
    worker.unref()
  }

  #start(): Worker {
    const worker = new Worker(new URL('sqlite-checkpoint-worker.ts', import.meta.url), {
      workerData: this.#deps.file,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      env: threadEnvironment(),
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    // NOTE: without a listener an error of the thread would end the process.
    worker.on('error', () => {})
    worker.once('exit', () => {
      if (worker === this.#worker) this.#worker = undefined
    })
    return worker
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    if (worker === undefined) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.ref()
    worker.postMessage('close' satisfies CheckpointRequest)
    await ended
  }
}
