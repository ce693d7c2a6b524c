export type {
  AppendedEvent,
  DomainEvent,
  EventKind,
  EventOrigin,
  EventPayload,
  EventSchemas,
  NewEvent,
  PayloadsOf,
  Projections,
  Subscription,
  Subscriptions,
} from './catalog.ts'
export { listEventsBetween, listEventsOfRepos, listPendingEvents } from './event.store.ts'
export { EventDispatcher } from './dispatcher.ts'
export { type AppendSignal, EventLog, type Events } from './event-log.ts'
export { EventFollower, type FollowedEvent } from './follow-events.ts'
export { findMissedEvents, type MissedEvents } from './missed-events.ts'
export { pruneEvents } from './prune-events.ts'
