import type { Static, TObject } from '@sinclair/typebox'
import type { RequestSource } from '../platform/request-source.ts'
import type { Tx } from '../db/database.ts'
import type { RepoId } from '../platform/crypto/ids.ts'

/**
 * Every kind of event with the type of its payload. Each module adds its own kinds by declaration merging in its
 * `*.events.ts`, next to the schemas. Payloads contain ids and the facts that may have changed by the time a subscriber
 * looks; subscribers load the rest. Members are only ever added.
 *
 * @public
 */
// oxlint-disable-next-line typescript/no-empty-interface -- extended by the modules
export interface EventCatalog {}

export type EventKind = keyof EventCatalog
export type EventPayload<Kind extends EventKind> = EventCatalog[Kind]

/** The schemas of the event kinds that one module declares. */
export type EventSchemas = { readonly [Kind in EventKind]?: TObject }

/** The payload types of a set of schemas, for the extension of `EventCatalog`. */
export type PayloadsOf<Schemas extends Readonly<Record<string, TObject>>> = {
  readonly [Kind in keyof Schemas]: Static<Schemas[Kind]>
}

/**
 * The rows that an event is about, as they are after the change, by kind: the code that appends the event has them, and
 * its projections do not read them again. They are not stored: subscriptions load rows by the ids of the payload.
 * Modules add the kinds that have entities as they add those of `EventCatalog`.
 * @public
 */
// oxlint-disable-next-line typescript/no-empty-interface -- extended by the modules
export interface EventEntities {}

type EntitiesOf<Kind extends EventKind> = Kind extends keyof EventEntities ? EventEntities[Kind] : undefined

/** Required for the kinds that have entities. */
export type WithEntities<Kind extends EventKind> = Kind extends keyof EventEntities
  ? { readonly entities: EventEntities[Kind] }
  : { readonly entities?: undefined }

/** An event that is to be appended. */
export type NewEvent = {
  readonly [Kind in EventKind]: { readonly kind: Kind; readonly payload: EventPayload<Kind> } & WithEntities<Kind>
}[EventKind]

/** The account that acts, with the facts of its request. */
interface EventActor {
  /** 0 for no account. */
  readonly account: { readonly id: number }
  readonly source?: RequestSource | undefined
  /** The scopes of its credentials; all when absent. */
  readonly scopes?: { readonly publicOnly: boolean; readonly levels: ReadonlyMap<string, string> } | undefined
  readonly onlyRepos?: ReadonlySet<RepoId> | undefined
  readonly deployKeyId?: number | undefined
}

export interface EventOrigin {
  /** The account that the event is attributed to. */
  readonly actor: EventActor
  /** The account whose request causes the change, if that is another: the recipient who accepts a transfer. */
  readonly principal?: EventActor
  /** 0 when the event belongs to no repository. */
  readonly repoId: number
  /** Epoch milliseconds. */
  readonly at: number
}

export interface DomainEvent<Kind extends EventKind = EventKind> {
  readonly id: number
  readonly kind: Kind
  readonly repoId: number
  /** The account that it is attributed to; 0 for none. */
  readonly actorId: number
  readonly at: number
  readonly payload: EventPayload<Kind>
}

/**
 * An event while its change is written. What is known of the request in addition to the account is not stored in the
 * outbox, nor are the entities.
 */
export interface AppendedEvent<Kind extends EventKind = EventKind> extends DomainEvent<Kind> {
  readonly entities: EntitiesOf<Kind>
  readonly actor: EventActor
  /** The account whose request causes the change. */
  readonly principal: EventActor
}

/**
 * Writes what clients read right after the change (a feed, a timeline, a counter, rows that refer to what was deleted).
 * It runs in the transaction of the change, before it commits; when it fails, the change fails.
 */
type Projection<Kind extends EventKind = EventKind> = (tx: Tx, event: AppendedEvent<Kind>) => Promise<void>
export type Projections = { readonly [Kind in EventKind]?: Projection<Kind> | readonly Projection<Kind>[] }

/**
 * Handles an event after the change was committed, at least once, inside the transaction that marks the event
 * dispatched: what it writes there happens once. It enqueues jobs for everything that leaves the process and waits only
 * for the database.
 */
export type Subscription<Kind extends EventKind = EventKind> = (tx: Tx, event: DomainEvent<Kind>) => Promise<void>

/** Handles the events that one transaction dispatches together, in order, after the subscriptions to single events. */
export interface BatchSubscription {
  readonly handleAll: (tx: Tx, events: readonly DomainEvent[]) => Promise<void>
}

/** A subscription to one kind of events; a batch has the events of all kinds for which a module names it. */
type SubscriptionTo<Kind extends EventKind> = BatchSubscription | Subscription<Kind>
export type Subscriptions = { readonly [Kind in EventKind]?: SubscriptionTo<Kind> | readonly SubscriptionTo<Kind>[] }
