export { appendEvent, onAppended, type EventOrigin } from './append.ts'
export { events, type EventKind, type EventPayload } from './catalog.ts'
