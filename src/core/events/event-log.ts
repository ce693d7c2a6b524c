import type { TObject } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { afterCommit, type Tx } from '../db/database.ts'
import type {
  AppendedEvent,
  BatchSubscription,
  DomainEvent,
  EventKind,
  EventOrigin,
  EventPayload,
  EventSchemas,
  NewEvent,
  Projections,
  Subscriptions,
  WithEntities,
} from './catalog.ts'
import { insertEvents } from './event.store.ts'
import type { Announcer } from '../platform/concurrency/processes.ts'
import { Signal } from '../platform/concurrency/signal.ts'

/** The functions of the outbox that services use. */
export interface Events {
  /**
   * Writes an event in the transaction of the change that it describes and runs its projections; subscriptions get it
   * after commit, at least once, in order per repository. `origin` has the entities of the kinds that have some.
   */
  append<Kind extends EventKind>(
    tx: Tx,
    kind: Kind,
    origin: EventOrigin & WithEntities<Kind>,
    payload: EventPayload<Kind>,
  ): Promise<void>
  /**
   * Appends events of one origin in this order. All are written before the first projection runs, so what projections
   * append comes after them.
   */
  appendAll(tx: Tx, origin: EventOrigin, events: readonly NewEvent[]): Promise<void>
}

export interface AppendSignal {
  /** Calls `listener` when a process of this server has committed events; returns the function that stops it. */
  onAppended(listener: () => void): () => void
}

/** The events that one module declares and handles. */
export interface EventParts {
  readonly name: string
  readonly events?: EventSchemas | undefined
  readonly projections?: Projections | undefined
  readonly subscriptions?: Subscriptions | undefined
}

interface EventLogOptions {
  readonly validatePayloads?: boolean
  /** Undefined if this is the only process. */
  readonly processes?: Announcer
}

type ProjectionHandler = (tx: Tx, event: AppendedEvent) => Promise<void>
type Handler = BatchSubscription | ((tx: Tx, event: DomainEvent) => Promise<void>)

/** The outbox of one server: its kinds of events, their projections and their subscriptions. */
export class EventLog implements Events, AppendSignal {
  readonly #schemas = new Map<string, TObject>()
  readonly #projections = new Map<string, ProjectionHandler[]>()
  readonly #subscriptions = new Map<string, Handler[]>()
  readonly #validates: boolean
  readonly #appended: Signal

  /** `validatePayloads` checks every payload against its schema; tests switch it on. */
  constructor({ validatePayloads = false, processes }: EventLogOptions = {}) {
    this.#validates = validatePayloads
    this.#appended = new Signal('events', processes)
  }

  /** Installs the declarations of all modules, in their order. Throws when a kind is declared twice or not at all. */
  install(modules: readonly EventParts[]): void {
    for (const { name, events = {} } of modules) {
      for (const [kind, schema] of Object.entries(events) as [string, TObject][]) {
        if (this.#schemas.has(kind)) throw new Error(`the event ${kind} of ${name} is declared twice`)
        this.#schemas.set(kind, schema)
      }
    }
    for (const { name, projections = {}, subscriptions = {} } of modules) {
      this.#add(name, this.#projections, projections)
      this.#add(name, this.#subscriptions, subscriptions)
    }
  }

  #add<Handle>(name: string, to: Map<string, Handle[]>, handlers: Projections | Subscriptions): void {
    for (const [kind, given] of Object.entries(handlers) as [string, Handle | readonly Handle[]][]) {
      if (!this.#schemas.has(kind)) throw new Error(`${name} handles the event ${kind}, which no module declares`)
      to.set(kind, [...(to.get(kind) ?? []), ...([given].flat() as Handle[])])
    }
  }

  async append<Kind extends EventKind>(
    tx: Tx,
    kind: Kind,
    origin: EventOrigin & WithEntities<Kind>,
    payload: EventPayload<Kind>,
  ): Promise<void> {
    await this.appendAll(tx, origin, [{ kind, payload, entities: origin.entities } as unknown as NewEvent])
  }

  async appendAll(tx: Tx, origin: EventOrigin, events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return
    for (const { kind, payload } of events) this.#requireValid(kind, payload)
    const { actor, principal = actor, repoId, at } = origin
    const actorId = actor.account.id
    const rows = events.map(({ kind, payload }) => ({
      kind,
      repo_id: repoId,
      actor_id: actorId,
      payload: JSON.stringify(payload),
      created_at: at,
    }))
    const ids = await insertEvents(tx, rows)
    for (const [index, { kind, payload, entities }] of events.entries()) {
      const id = ids[index]!
      const event = { id, kind, actorId, repoId, at, payload, entities, actor, principal } as unknown as AppendedEvent
      for (const project of this.#projections.get(kind) ?? []) await project(tx, event)
    }
    afterCommit(tx, () => this.#appended.emit())
  }

  subscriptionsOf(kind: string): readonly Handler[] {
    return this.#subscriptions.get(kind) ?? []
  }

  onAppended(listener: () => void): () => void {
    return this.#appended.listen(listener)
  }

  #requireValid(kind: string, payload: unknown): void {
    const schema = this.#schemas.get(kind)
    if (schema === undefined) throw new Error(`the event ${kind} is declared by no module`)
    if (!this.#validates) return
    const error = Value.Errors(schema, payload).First()
    if (error !== undefined) throw new Error(`the payload of ${kind} is invalid at ${error.path}: ${error.message}`)
  }
}
