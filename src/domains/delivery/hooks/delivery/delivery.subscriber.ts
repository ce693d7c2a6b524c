import { afterCommit } from '../../../../core/db/database.ts'
import type { BatchSubscription, EventKind, Subscriptions } from '../../../../core/events/index.ts'
import { hasActiveWebhooks, insertHookEvents } from './hook-event.store.ts'
import { sourceOf } from './match-hooks.policy.ts'

interface DeliverySubscriptionDeps {
  /** The kinds of events for which webhooks have messages. */
  readonly kinds: readonly EventKind[]
  /** Only webhooks of the site are enabled. */
  readonly siteOnly: boolean
  /** Called after an event is inserted whose messages must be built. */
  onInserted(): void
}

/** Queues the events that a webhook may subscribe to; events without any webhook cost one query for each source. */
export function deliverySubscriptions({ kinds, siteOnly, onInserted }: DeliverySubscriptionDeps): Subscriptions {
  const note: BatchSubscription = {
    async handleAll(tx, events) {
      const ids: number[] = []
      for (const batch of Map.groupBy(events, (event) => JSON.stringify(sourceOf(event))).values())
        if (await hasActiveWebhooks(tx, sourceOf(batch[0]!), { siteOnly })) ids.push(...batch.map(({ id }) => id))
      if (ids.length === 0) return
      await insertHookEvents(tx, ids)
      afterCommit(tx, onInserted)
    },
  }
  return Object.fromEntries(kinds.map((kind) => [kind, note]))
}
