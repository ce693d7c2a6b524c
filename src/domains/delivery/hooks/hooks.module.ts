import type { EventKind } from '../../../core/events/index.ts'
import type { TemplateCopier } from '../../repositories/index.ts'
import { defineModule } from '../../../core/module.ts'
import { deadDeliveryOperations } from './delivery/history/history.operations.ts'
import type { Deliveries } from './delivery/history/deliveries.service.ts'
import { createDelivery, type HookLimits, hookLimits } from './delivery/delivery.ts'
import { gitHookOperations } from './git-hooks.operations.ts'
import { hookEvents } from './hooks.events.ts'
import { hookOperations } from './hooks.operations.ts'
import { createHooks, createWebhookCopier } from './hooks.service.ts'
import { createMessageBuilders, createTestMessages } from './payloads/message-builders.ts'
import type { BuildMessages } from './payloads/payload.ts'
import { shareMessages } from './payloads/shared-messages.ts'
import { repoWebhookProjections } from './hooks.projection.ts'
import { sealedHookColumns } from './hook-secrets.ts'
import { createTestHook } from './testing/test-hook.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly hookDeliveries: Deliveries
    /** The message builders by kind of event. */
    readonly messageBuilders: ReadonlyMap<EventKind, BuildMessages>
    readonly webhookCopier: TemplateCopier
  }
  interface Tuning {
    readonly hooks: Partial<HookLimits>
  }
}

/** Webhooks of repositories, accounts and the site, and their deliveries. */
export const module = defineModule({
  name: 'hooks',
  needs: ['repos', 'commitViews', 'pulls', 'streams', 'workflows'],
  create(core, { repos, commitViews, pulls, streams, workflows }, guards) {
    const { config, database, git, clock, events, secrets, site } = core
    const hooks = createHooks({ database, clock, events, secrets, maxPerOwner: hookLimits(core.tuning).perOwner })
    const payloads = { database, git, site, repos, commitViews, pulls, workflows }
    const messageBuilders = shareMessages(createMessageBuilders(payloads), () => streams.isFollowing)
    const delivery = createDelivery(core, messageBuilders)
    const { deliveries, queue, workers } = delivery
    const testHook = createTestHook({ database, queue, buildTestMessage: createTestMessages(payloads) })
    return {
      services: { hookDeliveries: deliveries, messageBuilders, webhookCopier: createWebhookCopier(clock) },
      operations: [
        ...gitHookOperations({ guards }),
        ...hookOperations({ guards, hooks, deliveries, testHook, disabled: config.webhook.disabled }),
        ...deadDeliveryOperations(deliveries),
      ],
      events: hookEvents,
      projections: { ...repoWebhookProjections, ...delivery.projections },
      sealedColumns: [sealedHookColumns],
      subscriptions: delivery.subscriptions,
      jobs: delivery.jobs,
      tasks: delivery.tasks,
      workers,
      close: () => delivery.close(),
    }
  },
})
