import type { Database, Tx } from '../db/database.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { WorkerLoop } from '../platform/worker-loop.ts'
import { onAppended } from './append.ts'
import type { EventKind, EventPayload } from './catalog.ts'
import {
  deleteDispatchedBefore,
  type EventRow,
  hasPendingEvents,
  lockPendingEvents,
  markDispatched,
  markFailed,
} from './event.store.ts'

export interface DomainEvent<Kind extends EventKind = EventKind> {
  readonly id: number
  readonly kind: Kind
  readonly repoId: number
  readonly actorId: number
  readonly at: number
  readonly payload: EventPayload<Kind>
}

/**
 * Takes an event inside the transaction that marks it dispatched: what it writes there happens once. It enqueues jobs
 * for everything that leaves the process and waits for nothing but the database.
 */
export type Subscriber<Kind extends EventKind = EventKind> = (tx: Tx, event: DomainEvent<Kind>) => Promise<void>

export type Subscriptions = { readonly [Kind in EventKind]?: readonly Subscriber<Kind>[] }

const BATCH = 50
const INTERVAL_MS = 5_000
const MOST_ATTEMPTS = 12
const KEEP_MS = 7 * 24 * 60 * 60_000

/** Hands events to their subscribers after commit: in order per repository, at least once, by any node. */
export class EventDispatcher {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Logger
  readonly #subscriptions: readonly Subscriptions[]
  readonly #loop: WorkerLoop
  readonly #unsubscribe: () => void

  constructor(deps: { database: Database; clock: Clock; log: Logger; subscriptions: readonly Subscriptions[] }) {
    this.#database = deps.database
    this.#clock = deps.clock
    this.#log = deps.log
    this.#subscriptions = deps.subscriptions
    this.#loop = new WorkerLoop({ work: () => this.dispatchSome(), interval: INTERVAL_MS, log: deps.log })
    this.#unsubscribe = onAppended(() => this.#loop.wakeSoon())
  }

  start(): void {
    this.#loop.start()
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    await this.#loop.stop()
  }

  /** Dispatches a batch; false when nothing was pending. */
  async dispatchSome(): Promise<boolean> {
    if (!(await hasPendingEvents(this.#database.read, this.#clock.now()))) return false
    let failed: { event: EventRow; error: unknown } | undefined
    try {
      return await this.#database.transaction(async (tx) => {
        failed = undefined
        const events = await lockPendingEvents(this.#database, tx, this.#clock.now(), BATCH)
        for (const event of events) {
          try {
            await this.#deliver(tx, event)
          } catch (error) {
            failed = { event, error }
            throw error
          }
        }
        await markDispatched(
          tx,
          events.map((event) => event.id),
          this.#clock.now(),
        )
        return events.length > 0
      })
    } catch (error) {
      if (failed === undefined) throw error
      await this.#postpone(failed.event, failed.error)
      return true
    }
  }

  async prune(): Promise<void> {
    await this.#database.transaction((tx) => deleteDispatchedBefore(tx, this.#clock.now() - KEEP_MS))
  }

  async #deliver(tx: Tx, row: EventRow): Promise<void> {
    const kind = row.kind as EventKind
    const event = {
      id: row.id,
      kind,
      repoId: row.repo_id,
      actorId: row.actor_id,
      at: row.created_at,
      payload: JSON.parse(row.payload) as never,
    }
    for (const subscriptions of this.#subscriptions) {
      for (const subscriber of (subscriptions[kind] ?? []) as readonly Subscriber[]) await subscriber(tx, event)
    }
  }

  async #postpone(event: EventRow, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error)
    const last = event.attempts + 1 >= MOST_ATTEMPTS
    const retryAt = last ? undefined : this.#clock.now() + Math.min(600_000, 500 * 2 ** event.attempts)
    this.#log.error({ err: error, event: event.id, kind: event.kind, givenUp: last }, 'event not dispatched')
    await this.#database.transaction((tx) => markFailed(tx, event, message, retryAt))
  }
}
