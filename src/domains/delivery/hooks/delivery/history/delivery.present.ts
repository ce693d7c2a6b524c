import type { Static } from '@sinclair/typebox'
import { wireTime } from '../../../../../core/platform/clock.ts'
import type { QueueCounts } from './delivery-counts.store.ts'
import type { HookDelivery, HookDeliveryDetails, HookQueue } from './delivery.model.ts'
import type { DeliveryDetails, DeliverySummary } from './history.store.ts'

export function presentDelivery(delivery: DeliverySummary): Static<typeof HookDelivery> {
  return {
    id: delivery.id,
    uuid: delivery.uuid,
    hook_id: delivery.hookId,
    event: delivery.event,
    event_type: delivery.eventType,
    action: delivery.action,
    state: delivery.state,
    attempts: delivery.attempts,
    created_at: wireTime(delivery.createdAt),
    finished_at: delivery.finishedAt === 0 ? null : wireTime(delivery.finishedAt),
    url: delivery.url,
    status: delivery.status,
    duration_ms: delivery.durationMs,
    error: delivery.error,
    history: delivery.history.map((attempt) => ({ ...attempt, at: wireTime(attempt.at) })),
  }
}

export function presentDeliveryDetails(delivery: DeliveryDetails): Static<typeof HookDeliveryDetails> {
  const { status, responseHeaders, responseBody } = delivery
  return {
    ...presentDelivery(delivery),
    request: { url: delivery.url, headers: { ...delivery.requestHeaders }, body: delivery.requestBody },
    response: status === 0 ? null : { status, headers: { ...responseHeaders }, body: responseBody },
  }
}

export const presentQueue = (counts: QueueCounts): Static<typeof HookQueue> => ({
  waiting: counts.waiting,
  dead: counts.dead,
  oldest: counts.oldestAt === undefined ? null : wireTime(counts.oldestAt),
  failing_hooks: counts.failingHooks,
  failing_hosts: counts.failingHosts,
})
