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
  BatchSubscription,
  Subscription,
  Subscriptions,
} from './catalog.ts'
export { listEventsBetween, listEventsOfRepos, listPendingEvents } from './event.store.ts'
export { EventDispatcher } from './dispatcher.ts'
export { type AppendSignal, EventLog, type Events } from './event-log.ts'
export { EventFollower, type FollowedEvent, findMissedEvents, type MissedEvents, pruneEvents } from './follow-events.ts'
