/**
 * Every connection that a user makes the server open is opened here: checked, pinned to the checked address,
 * bounded.
 */
export { createOutgoingClient, type OutgoingClient, type OutgoingHead } from './client.ts'

export { createHostGuard, type HostGuard, type Lookup, parseHostNames } from './host-rules.ts'

export { isOutgoingError } from './outgoing-error.ts'

export type { OutgoingProxy } from './tunnel.ts'
