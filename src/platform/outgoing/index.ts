/** Every connection that a user makes the server open goes through here: checked, pinned to the checked address, bounded. */
export { createOutgoingClient, type OutgoingAnswer, type OutgoingClient, type OutgoingOptions, type OutgoingRequest } from './client.ts'
export { createHostGuard, type HostGuard, type Lookup } from './host-guard.ts'
export { parseHostRules, type HostRules } from './host-rules.ts'
export { isOutgoingError, OutgoingError, type OutgoingErrorKind } from './outgoing-error.ts'
