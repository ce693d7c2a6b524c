export { appendEvent, type EventOrigin, onAppended } from './append.ts'
export { type EventKind, type EventPayload, events } from './catalog.ts'
export { type DomainEvent, EventDispatcher, type Subscriber, type Subscriptions } from './dispatcher.ts'
