import type { Subscriptions } from '../events/index.ts'

/** Who reacts to which events, in the order in which they are told; each lives in subscribers/. */
export function createSubscriptions(): Subscriptions[] {
  return []
}
