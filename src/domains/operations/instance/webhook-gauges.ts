import type { Services } from '../../../core/module.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import type { Gauges } from './metrics.routes.ts'
import { shareReading } from './shared-reading.ts'

const KEEP_MS = 1_000

/** The queue of webhooks. */
export function webhookGauges(deliveries: Pick<Services['hookDeliveries'], 'count'>, clock: Clock): Gauges {
  const count = shareReading(() => deliveries.count(), clock, KEEP_MS)
  return {
    webhook_deliveries_waiting: { help: 'Deliveries of webhooks that wait', read: async () => (await count()).waiting },
    webhook_deliveries_dead: { help: 'Deliveries that were given up', read: async () => (await count()).dead },
    webhook_oldest_delivery_seconds: {
      help: 'Age of the oldest delivery that waits; 0 for none',
      async read() {
        const { oldestAt } = await count()
        return oldestAt === undefined ? 0 : Math.max(0, clock.now() - oldestAt) / 1000
      },
    },
    webhook_failing_hooks: {
      help: 'Webhooks whose last attempt failed',
      read: async () => (await count()).failingHooks,
    },
    webhook_failing_hosts: {
      help: 'Receivers that did not answer the last time',
      read: async () => (await count()).failingHosts,
    },
  }
}
