import { afterCommit } from '../../../../core/db/database.ts'
import type { EventKind, Subscription, Subscriptions } from '../../../../core/events/index.ts'
import { hasActiveWebhooks, insertHookEvent } from './hook-event.store.ts'
import { placeOf } from './match-hooks.policy.ts'

interface DeliverySubscriptionDeps {
  /** Events that have messages. */
  readonly kinds: readonly EventKind[]
  /** Webhooks of the site alone are delivered. */
  readonly siteOnly: boolean
  /** Called once an event is there whose messages are to be built. */
  onInserted(): void
}

/** Notes the events that a webhook may want; an event without any webhook costs one query. */
export function deliverySubscriptions({ kinds, siteOnly, onInserted }: DeliverySubscriptionDeps): Subscriptions {
  const note: Subscription = async (tx, event) => {
    if (!(await hasActiveWebhooks(tx, placeOf(event), { siteOnly }))) return
    await insertHookEvent(tx, event.id)
    afterCommit(tx, onInserted)
  }
  return Object.fromEntries(kinds.map((kind) => [kind, note]))
}
