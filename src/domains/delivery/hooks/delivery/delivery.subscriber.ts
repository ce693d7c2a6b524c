import { afterCommit } from '../../../../core/db/database.ts'
import type { EventKind, Subscription, Subscriptions } from '../../../../core/events/index.ts'
import { hasActiveWebhooks, insertHookEvent } from './hook-event.store.ts'
import { sourceOf } from './match-hooks.policy.ts'

interface DeliverySubscriptionDeps {
  /** The kinds of events for which webhooks have messages. */
  readonly kinds: readonly EventKind[]
  /** Only webhooks of the site are enabled. */
  readonly siteOnly: boolean
  /** Called after an event is inserted whose messages must be built. */
  onInserted(): void
}

/** Queues the events that a webhook may subscribe to; an event without any webhook costs one query. */
export function deliverySubscriptions({ kinds, siteOnly, onInserted }: DeliverySubscriptionDeps): Subscriptions {
  const note: Subscription = async (tx, event) => {
    if (!(await hasActiveWebhooks(tx, sourceOf(event), { siteOnly }))) return
    await insertHookEvent(tx, event.id)
    afterCommit(tx, onInserted)
  }
  return Object.fromEntries(kinds.map((kind) => [kind, note]))
}
