export type {
  AppendedEvent,
  DomainEvent,
  EventKind,
  EventOrigin,
  EventPayload,
  EventSchemas,
  PayloadsOf,
  Projections,
  Subscription,
  Subscriptions,
} from './catalog.ts'
export { EventDispatcher } from './dispatcher.ts'
export { EventLog, type Events } from './event-log.ts'
export { pruneEvents } from './prune-events.ts'
