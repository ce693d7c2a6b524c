export type {
  DomainEvent,
  EventCatalog,
  EventKind,
  EventOrigin,
  EventPayload,
  EventSchemas,
  PayloadsOf,
  Projection,
  Projections,
  Subscription,
  Subscriptions,
} from './catalog.ts'
export { EventDispatcher } from './dispatcher.ts'
export { EventLog, type EventParts, type Events } from './event-log.ts'
export { pruneEvents } from './prune-events.ts'
