import type { Static, TObject } from '@sinclair/typebox'
import type { Tx } from '../db/database.ts'

/**
 * Every kind of event with the type of its payload. Each subject adds its own kinds by declaration merging in its
 * `*.events.ts`, beside the schemas. Payloads hold ids and what would be gone or changed by the time a subscriber
 * looks; subscribers load the rest. Members are only ever added.
 *
 * @public
 */
// oxlint-disable-next-line typescript/no-empty-interface -- extended by the subjects
export interface EventCatalog {}

export type EventKind = keyof EventCatalog
export type EventPayload<Kind extends EventKind> = EventCatalog[Kind]

/** The schemas of the event kinds that one subject declares. */
export type EventSchemas = { readonly [Kind in EventKind]?: TObject }

/** The payload types of a set of schemas: what `EventCatalog` is extended with. */
export type PayloadsOf<Schemas extends Readonly<Record<string, TObject>>> = {
  readonly [Kind in keyof Schemas]: Static<Schemas[Kind]>
}

export interface EventOrigin {
  /** The account that acted; 0 for the system. */
  readonly actorId: number
  /** 0 when the event belongs to no repository. */
  readonly repoId: number
  /** Epoch milliseconds. */
  readonly at: number
}

export interface DomainEvent<Kind extends EventKind = EventKind> {
  readonly id: number
  readonly kind: Kind
  readonly repoId: number
  readonly actorId: number
  readonly at: number
  readonly payload: EventPayload<Kind>
}

/**
 * Writes what clients read right after the change (a feed, a timeline, a counter, rows that refer to what was deleted).
 * It runs in the transaction of the change, before it commits; when it fails, the change fails.
 */
export type Projection<Kind extends EventKind = EventKind> = (tx: Tx, event: DomainEvent<Kind>) => Promise<void>
export type Projections = { readonly [Kind in EventKind]?: Projection<Kind> | readonly Projection<Kind>[] }

/**
 * Handles an event after the change was committed, at least once, inside the transaction that marks the event
 * dispatched: what it writes there happens once. It enqueues jobs for everything that leaves the process and waits only
 * for the database.
 */
export type Subscription<Kind extends EventKind = EventKind> = (tx: Tx, event: DomainEvent<Kind>) => Promise<void>
export type Subscriptions = { readonly [Kind in EventKind]?: Subscription<Kind> | readonly Subscription<Kind>[] }
