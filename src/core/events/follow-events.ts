import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Db } from '../db/database.ts'
import type { OpenTransactions } from '../db/dialect/dialect.ts'
import { commitVersion } from '../db/read-cache.ts'
import type { Logger } from '../platform/logger.ts'
import { WorkerLoop } from '../platform/process/worker-loop.ts'
import type { DomainEvent, EventKind } from './catalog.ts'
import type { AppendSignal } from './event-log.ts'
import {
  type EventHead,
  findNewestEventId,
  listEventsAfter,
  loadPayloads,
  findEventHead,
  listEventsBetween,
  deleteDispatchedBefore,
} from './event.store.ts'
import type { Clock } from '../platform/clock.ts'

/** An event before its payload is read. */
export type FollowedEvent = Omit<DomainEvent, 'payload'>

/** A reader of new events, and the events that it wants. */
export interface Reading {
  wants(event: FollowedEvent): boolean
  /** Gets each event that it wants once, in the order of ids; the next ones come when it is done. */
  take(events: readonly DomainEvent[]): Promise<void>
  /** Events that it wants may have been missed. */
  fail(): void
}

interface FollowerDeps {
  readonly database: Database
  readonly events: AppendSignal
  readonly log: Logger
  /** Milliseconds until commits of other processes are noticed. */
  readonly interval: number
}

const BATCH = 200
/** Payloads that are in memory at once. */
const PAYLOADS = 20
/** A transaction ends after ten seconds, see `Database.transaction`. */
const MAX_OPEN_MS = 11_000
const SETTLE_MS = 20

/**
 * Follows the events that all processes commit from now on. NOTE: PostgreSQL commits ids out of order. Reading waits
 * for an id that is missing among those that were read until the transactions of that time have ended, so that no event
 * becomes visible before the position.
 */
export class EventFollower {
  readonly #deps: FollowerDeps
  readonly #reading: Reading
  readonly #loop: WorkerLoop
  #stopListening: (() => void) | undefined
  #stopped = false
  #position = 0
  #delivered = 0
  #version: number | undefined
  #gap: { readonly upTo: number; readonly open: OpenTransactions; readonly since: number } | undefined

  constructor(deps: FollowerDeps, reading: Reading) {
    this.#deps = deps
    this.#reading = reading
    const { interval, log } = deps
    this.#loop = new WorkerLoop({ work: () => this.#readSome(), interval, log })
  }

  /** The last id that was read; its event may still be on its way to `take`. */
  get position(): number {
    return this.#position
  }

  /** The last id that `take` is done with. */
  get delivered(): number {
    return this.#delivered
  }

  /** Resolves when every event up to the position is visible to all readers. */
  async start(): Promise<void> {
    const { database, events } = this.#deps
    const newest = await findNewestEventId(database.read)
    const open = await this.#openTransactions()
    const since = performance.now()
    while (open !== undefined && !this.#stopped && !(await this.#haveEnded(open, since))) await sleep(SETTLE_MS)
    this.#position = this.#delivered = newest
    if (this.#stopped) return
    this.#stopListening = events.onAppended(() => this.#loop.wakeSoon())
    this.#loop.start()
  }

  /** Resolves when `take` has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopListening?.()
    await this.#loop.stop()
  }

  async #readSome(): Promise<boolean> {
    const { read } = this.#deps.database
    const version = commitVersion(read)
    if (version !== undefined && version === this.#version) return false
    const settled = await this.#settledUpTo()
    const rows = await listEventsAfter(read, this.#position, BATCH)
    const ready = await this.#withoutGap(rows, settled)
    if (ready.length > 0) this.#position = ready.at(-1)!.id
    try {
      await this.#hand(ready)
    } catch (error) {
      this.#reading.fail()
      throw error
    }
    this.#delivered = this.#position
    const isMore = rows.length === BATCH && ready.length > 0
    // NOTE: commits since the version was read have another version.
    this.#version = isMore || this.#gap !== undefined ? undefined : version
    return isMore
  }

  /** NOTE: read before the events, so that the events of all ended transactions are among them. */
  async #settledUpTo(): Promise<number> {
    const gap = this.#gap
    if (gap === undefined || !(await this.#haveEnded(gap.open, gap.since))) return this.#position
    this.#gap = undefined
    return gap.upTo
  }

  /** The events in front of the first missing id; all ids up to `settled` that are missing will never come. */
  async #withoutGap(rows: readonly EventHead[], settled: number): Promise<readonly EventHead[]> {
    let last = this.#position
    const end = rows.findIndex(({ id }) => {
      const isMissing = id > settled && id !== Math.max(last, settled) + 1
      last = id
      return isMissing
    })
    if (end < 0) return rows
    if (this.#gap === undefined) {
      const open = await this.#openTransactions()
      if (open === undefined) return rows
      this.#gap = { upTo: rows.at(-1)!.id, open, since: performance.now() }
    }
    this.#loop.wakeSoon()
    return rows.slice(0, end)
  }

  #openTransactions(): Promise<OpenTransactions | undefined> {
    const { database } = this.#deps
    return database.dialect.openTransactions(database.connections)
  }

  async #haveEnded({ next }: OpenTransactions, since: number): Promise<boolean> {
    if (performance.now() - since > MAX_OPEN_MS) return true
    const now = await this.#openTransactions()
    return now === undefined || now.oldest >= next
  }

  async #hand(rows: readonly EventHead[]): Promise<void> {
    const wanted = rows.map(toEvent).filter((event) => this.#reading.wants(event))
    for (let from = 0; from < wanted.length; from += PAYLOADS) {
      const some = wanted.slice(from, from + PAYLOADS)
      const payloads = await loadPayloads(
        this.#deps.database.read,
        some.map(({ id }) => id),
      )
      const events = some.flatMap((event) => withPayload(event, payloads.get(event.id)) ?? [])
      if (!this.#stopped) await this.#reading.take(events)
    }
  }
}

const toEvent = ({ id, kind, repo_id, actor_id, created_at }: EventHead): FollowedEvent => ({
  id,
  kind: kind as EventKind,
  repoId: repo_id,
  actorId: actor_id,
  at: created_at,
})

/** Undefined for an event that has been deleted since. */
const withPayload = (event: FollowedEvent, payload: string | undefined): DomainEvent | undefined =>
  payload === undefined ? undefined : ({ ...event, payload: JSON.parse(payload) as unknown } as DomainEvent)

const KEEP_MS = 7 * 24 * 60 * 60_000

/** Deletes events that were dispatched more than a week ago. */
export async function pruneEvents(database: Database, clock: Clock): Promise<void> {
  await database.transaction((tx) => deleteDispatchedBefore(tx, clock.now() - KEEP_MS))
}

/** The events that a client has not seen, read in pages. */
export interface MissedEvents {
  /** The next events after `after`, at most `PAGE` of them, by id; none when there are no more up to `upTo`. */
  page(after: number, upTo: number): Promise<readonly DomainEvent[]>
}

const PAGE = 100

interface MissedQuery {
  /** The last event that the client has. */
  readonly id: number
  /** Epoch milliseconds. */
  readonly now: number
  /** Undefined for events of all and of no repository, which are found among the next `MAX_SPAN` alone. */
  readonly repoId?: number
  readonly kinds: readonly EventKind[]
}

/** NOTE: no index has the events of some kinds. */
const MAX_SPAN = 20_000

/**
 * The events after the one of an id; undefined if that event does not exist, if some that followed it may have been
 * deleted already, or when there are too many to look through.
 */
export async function findMissedEvents(db: Db, { id, now, ...of }: MissedQuery): Promise<MissedEvents | undefined> {
  const last = await findEventHead(db, id)
  if (last === undefined || last.created_at <= now - KEEP_MS) return undefined
  if (of.repoId === undefined && (await findNewestEventId(db)) - id > MAX_SPAN) return undefined
  return {
    async page(after, upTo) {
      const rows = await listEventsBetween(db, { ...of, after, upTo }, PAGE)
      return rows.flatMap((row) => withPayload(toEvent(row), row.payload) ?? [])
    },
  }
}
