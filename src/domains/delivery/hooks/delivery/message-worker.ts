import type { Tx } from '../../../../core/db/database.ts'
import { beginReads } from '../../../../core/db/read-cache.ts'
import { freeLeasesOfEnded } from '../../../../core/db/ended-leases.ts'
import { isOutage } from '../../../../core/db/retry-until-available.ts'
import type { DomainEvent, EventKind } from '../../../../core/events/index.ts'
import type { Members } from '../../../../core/platform/concurrency/processes.ts'
import { eachAtOnce } from '../../../../core/platform/concurrency/each-at-once.ts'
import { WorkerLoop } from '../../../../core/platform/process/worker-loop.ts'
import type { Core, Worker } from '../../../../core/module.ts'
import type { BuildMessages, HookMessage } from '../payloads/payload.ts'
import { listActiveFilters } from './hook-filter.store.ts'
import {
  deleteHookEvents,
  extendEventLeases,
  freeEventsOf,
  leaseHookEvents,
  listBuildableEvents,
  listEventHolders,
  loadHookEvents,
  postponeHookEvent,
  type WaitingEvent,
} from './hook-event.store.ts'
import { matchHooks, sourceOf } from './match-hooks.policy.ts'
import type { AddressedMessage, MessageQueue } from './message-queue.ts'

const INTERVAL_MS = 2_000
const LEASE_MS = 10_000
const HEARTBEAT_MS = 3_000
const BATCH = 32
const AT_ONCE = 4
const MAX_ATTEMPTS = 10
const LONGEST_PAUSE_MS = 600_000
/** Never aborted: builders of messages run to the end, because they are fast or throw. */
const NEVER = new AbortController().signal

interface MessageWorkerDeps extends Pick<Core, 'database' | 'clock' | 'log'> {
  readonly members: Members
  readonly queue: MessageQueue
  /** Only webhooks of the site are enabled. */
  readonly siteOnly: boolean
  builderOf(kind: EventKind): BuildMessages | undefined
}

interface Built {
  readonly event: DomainEvent
  readonly messages: readonly HookMessage[]
}

/**
 * Builds the messages of events in order and queues them for the webhooks that receive them. Building may read
 * repositories, so it runs outside of any transaction; an event whose row no longer exists afterwards was built by
 * another process.
 */
export class MessageWorker implements Worker {
  readonly #deps: MessageWorkerDeps
  readonly #loop: WorkerLoop
  #stopFreeing: (() => void) | undefined

  constructor(deps: MessageWorkerDeps) {
    this.#deps = deps
    this.#loop = new WorkerLoop({ work: () => this.#buildSome(), interval: INTERVAL_MS, log: deps.log })
  }

  start(): void {
    this.#stopFreeing ??= freeLeasesOfEnded(this.#deps, {
      listHolders: listEventHolders,
      free: freeEventsOf,
      onFreed: () => this.wake(),
    })
    this.#loop.start()
  }

  /** Checks for events to build. */
  wake(): void {
    this.#loop.wake()
  }

  stop(): Promise<void> {
    this.#stopFreeing?.()
    return this.#loop.stop()
  }

  async drain(): Promise<boolean> {
    let worked = false
    while (await this.#buildSome()) worked = true
    return worked
  }

  async #buildSome(): Promise<boolean> {
    const { database, clock, members } = this.#deps
    const times = { now: clock.now(), leaseMs: LEASE_MS, holder: members.self }
    const ids = await listBuildableEvents(database.read, times, BATCH)
    if (ids.length === 0) return false
    if (!(await database.transaction((tx) => leaseHookEvents(tx, ids, times)))) return false
    const waiting = await loadHookEvents(database.read, ids)
    // The messages of a batch are about few repositories and issues: they share the rows that they read.
    const reads = beginReads(database.read)
    const built = await this.#keepingLease(ids, () => reads.during(() => this.#build(waiting))).finally(reads.end)
    const lost = ids.filter((id) => !waiting.some(({ event }) => event.id === id))
    await database.transaction(async (tx) => {
      await deleteHookEvents(tx, lost)
      await this.#queue(tx, built)
    })
    return true
  }

  async #build(waiting: readonly WaitingEvent[]): Promise<Built[]> {
    const built = new Map<number, Built>()
    const options = { atOnce: AT_ONCE, signal: NEVER }
    await eachAtOnce(waiting, options, async ({ event, attempts, messages: stored }) => {
      try {
        const messages = stored ?? (await this.#deps.builderOf(event.kind)?.(event)) ?? []
        built.set(event.id, { event, messages })
      } catch (error) {
        // The whole batch is rebuilt in order.
        if (isOutage(error)) throw error
        await this.#postpone(event, attempts + 1, error)
      }
    })
    return waiting.flatMap(({ event }) => built.get(event.id) ?? [])
  }

  async #keepingLease<T>(ids: readonly number[], work: () => Promise<T>): Promise<T> {
    const { database, clock, log, members } = this.#deps
    const heartbeat = setInterval(() => {
      const lease = { until: clock.now() + LEASE_MS, holder: members.self }
      database
        .transaction((tx) => extendEventLeases(tx, ids, lease))
        .catch((error: unknown) => log.warn({ err: error }, 'failed to extend the leases of webhook events'))
    }, HEARTBEAT_MS)
    try {
      return await work()
    } finally {
      clearInterval(heartbeat)
    }
  }

  /** Delays an event that cannot be built, so that later events are not blocked. */
  async #postpone(event: DomainEvent, attempts: number, error: unknown): Promise<void> {
    const { database, clock, log } = this.#deps
    const givenUp = attempts >= MAX_ATTEMPTS
    log.error(
      { err: error, event: event.id, kind: event.kind, givenUp },
      'failed to build the webhook messages of an event',
    )
    const nextAt = clock.now() + Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** attempts)
    await database.transaction(async (tx) => {
      if (givenUp) await deleteHookEvents(tx, [event.id])
      else await postponeHookEvent(tx, event.id, { attempts, nextAt })
    })
  }

  async #queue(tx: Tx, built: readonly Built[]): Promise<void> {
    const { queue, siteOnly } = this.#deps
    const stored = await deleteHookEvents(
      tx,
      built.map(({ event }) => event.id),
    )
    const sources = built.map(({ event }) => sourceOf(event))
    const { hooks, owners } = await listActiveFilters(tx, sources, { siteOnly })
    const addressed = built.flatMap(({ event, messages: now }): AddressedMessage[] => {
      if (!stored.has(event.id)) return []
      // NOTE: the repository may have been deleted during the build.
      const messages = stored.get(event.id) ?? now
      const { repoId, ownerId } = sourceOf(event)
      const source = { repoId, ownerId: ownerId > 0 ? ownerId : (owners.get(repoId) ?? 0) }
      return messages.map((message) => ({ message, hooks: matchHooks(hooks, source, message) }))
    })
    await queue.add(tx, addressed)
  }
}
