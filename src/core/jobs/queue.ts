import { afterCommit, type Tx } from '../db/database.ts'
import type { Clock } from '../platform/clock.ts'
import { randomHex } from '../platform/crypto/crypto.ts'
import type { JobDefinition, JobDefinitions, JobKind, JobPayload } from './catalog.ts'
import { deleteWaitingJob, insertJob } from './job.store.ts'
import type { Announcer } from '../platform/concurrency/processes.ts'
import { Signal } from '../platform/concurrency/signal.ts'

interface JobQueueOptions {
  readonly clock: Clock
  /** Undefined if this is the only process. */
  readonly processes?: Announcer
}

export interface EnqueueOptions {
  /** Milliseconds to wait at least. */
  readonly delay?: number
  /** A waiting job of the same kind and key stands for this one too; without a key each runs. */
  readonly key?: string
}

/** The functions of the queue that services use. */
export interface Jobs {
  /** Writes a job in the transaction of the change that needs it: it runs after commit, at least once, on any node. */
  enqueue<Kind extends JobKind>(tx: Tx, kind: Kind, payload: JobPayload<Kind>, options?: EnqueueOptions): Promise<void>
  /** Deletes the job of the key in the transaction of the change that makes it unnecessary; a running one continues. */
  cancel(tx: Tx, kind: JobKind, key: string): Promise<void>
}

/** The queue of one server: its kinds of jobs and how they are written. */
export class JobQueue implements Jobs {
  readonly #clock: Clock
  readonly #enqueued: Signal
  readonly #definitions = new Map<string, JobDefinition>()

  constructor({ clock, processes }: JobQueueOptions) {
    this.#clock = clock
    this.#enqueued = new Signal('jobs', processes)
  }

  /** Installs the declarations of all modules. Throws when a kind is declared twice. */
  install(modules: readonly { readonly name: string; readonly jobs?: JobDefinitions | undefined }[]): void {
    for (const { name, jobs = {} } of modules) {
      for (const [kind, definition] of Object.entries(jobs) as [string, JobDefinition][]) {
        if (this.#definitions.has(kind)) throw new Error(`the job ${kind} of ${name} is declared twice`)
        this.#definitions.set(kind, definition)
      }
    }
  }

  async enqueue<Kind extends JobKind>(
    tx: Tx,
    kind: Kind,
    payload: JobPayload<Kind>,
    options: EnqueueOptions = {},
  ): Promise<void> {
    if (!this.#definitions.has(kind)) throw new Error(`the job ${kind} is declared by no module`)
    const { delay = 0, key = randomHex(8) } = options
    const now = this.#clock.now()
    if (await insertJob(tx, { kind, key, payload: JSON.stringify(payload), runAt: now + delay, now }))
      afterCommit(tx, () => this.#enqueued.emit())
  }

  cancel(tx: Tx, kind: JobKind, key: string): Promise<void> {
    return deleteWaitingJob(tx, { kind, key })
  }

  definitionOf(kind: string): JobDefinition | undefined {
    return this.#definitions.get(kind)
  }

  groupOf(kind: string): string {
    return this.#definitions.get(kind)?.group ?? 'main'
  }

  /** Calls `listener` when a process of this server has committed jobs; returns the function that stops it. */
  onEnqueued(listener: () => void): () => void {
    return this.#enqueued.listen(listener)
  }
}
