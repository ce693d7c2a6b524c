import type { Database, Tx } from '../db/database.ts'
import type { Clock } from '../platform/clock.ts'
import { isOutOfSpace } from '../platform/files/out-of-space.ts'
import type { Logger } from '../platform/logger.ts'
import { WorkerLoop } from '../platform/process/worker-loop.ts'
import type { BatchSubscription, DomainEvent } from './catalog.ts'
import type { EventLog } from './event-log.ts'
import { type EventRow, hasPendingEvents, lockPendingEvents, markDispatched, markFailed } from './event.store.ts'

const BATCH = 50
const INTERVAL_MS = 5_000
const MAX_ATTEMPTS = 12
/** The maximum number of counted attempts of an event that a full disk stops. */
const FULL_DISK_ATTEMPTS = 4

/** Delivers events to their subscribers after commit: in order per repository, at least once, by any node. */
export class EventDispatcher {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Logger
  readonly #eventLog: EventLog
  readonly #loop: WorkerLoop
  readonly #unsubscribe: () => void

  constructor(deps: { database: Database; clock: Clock; log: Logger; eventLog: EventLog }) {
    this.#database = deps.database
    this.#clock = deps.clock
    this.#log = deps.log
    this.#eventLog = deps.eventLog
    // NOTE: a batch that is not full is the last one until the loop is woken, so that events of a burst share batches.
    this.#loop = new WorkerLoop({
      work: async () => (await this.#dispatchBatch()) === BATCH,
      interval: INTERVAL_MS,
      log: deps.log,
    })
    this.#unsubscribe = deps.eventLog.onAppended(() => this.#loop.wakeSoon())
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
    return (await this.#dispatchBatch()) > 0
  }

  /** The number of events of the batch; as many as fit in one when a handler failed: there may be more. */
  async #dispatchBatch(limit = BATCH): Promise<number> {
    if (!(await hasPendingEvents(this.#database.read, this.#clock.now()))) return 0
    let failed: { events: readonly EventRow[]; error: unknown } | undefined
    try {
      return await this.#database.transaction(async (tx) => {
        failed = undefined
        const events = await lockPendingEvents(tx, this.#clock.now(), limit)
        try {
          await this.#deliver(tx, events)
        } catch (error) {
          failed = { events, error }
          throw error
        }
        await markDispatched(
          tx,
          events.map((event) => event.id),
          this.#clock.now(),
        )
        return events.length
      })
    } catch (error) {
      if (failed === undefined) throw error
      const { events } = failed
      if (events.length === 1) await this.#postpone(events[0]!, failed.error)
      // Each event once more, by itself, so that only those that fail wait.
      else for (let left = events.length; left > 0; left--) await this.#dispatchBatch(1)
      return BATCH
    }
  }

  async #deliver(tx: Tx, rows: readonly EventRow[]): Promise<void> {
    const batches = new Map<BatchSubscription, DomainEvent[]>()
    for (const { id, kind, repo_id: repoId, actor_id: actorId, created_at: at, payload } of rows) {
      const event = { id, kind, repoId, actorId, at, payload: JSON.parse(payload) as unknown } as unknown as DomainEvent
      for (const handler of this.#eventLog.subscriptionsOf(kind))
        if (typeof handler === 'function') await handler(tx, event)
        else batches.getOrInsertComputed(handler, () => []).push(event)
    }
    for (const [{ handleAll }, batch] of batches) await handleAll(tx, batch)
  }

  async #postpone(event: EventRow, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error)
    const made = event.attempts + 1
    const attempts = isOutOfSpace(error) ? Math.min(made, FULL_DISK_ATTEMPTS) : made
    const last = attempts >= MAX_ATTEMPTS
    const retryAt = last ? undefined : this.#clock.now() + Math.min(600_000, 250 * 2 ** attempts)
    this.#log.error({ err: error, event: event.id, kind: event.kind, givenUp: last }, 'event not dispatched')
    await this.#database.transaction((tx) => markFailed(tx, event.id, { attempts, error: message, retryAt }))
  }
}
