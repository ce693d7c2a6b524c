/**
 * Every connection that a user makes the server open is opened here: checked, pinned to the checked address,
 * bounded.
 */
export {
  createOutgoingClient,
  type OutgoingAnswer,
  type OutgoingClient,
  type OutgoingHead,
  type OutgoingOptions,
  type OutgoingRequest,
  type OutgoingStream,
} from './client.ts'
export type { OutgoingBody } from './follow.ts'
export { createHostGuard, type HostGuard, type Lookup } from './host-guard.ts'
export { type HostRules, parseHostRules } from './host-rules.ts'
export { isOutgoingError, OutgoingError, type OutgoingErrorKind } from './outgoing-error.ts'
