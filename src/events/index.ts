export { appendEvent, onAppended, type EventOrigin } from './append.ts'
export { events, type EventKind, type EventPayload } from './catalog.ts'
export { EventDispatcher, type DomainEvent, type Subscriber, type Subscriptions } from './dispatcher.ts'
