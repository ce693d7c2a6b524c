import type { TemplateCopier } from '../repos/index.ts'
import { defineSubject } from '../subject.ts'
import { gitHookOperations } from './git-hooks.operations.ts'
import { hookEvents } from './hooks.events.ts'
import { hookOperations } from './hooks.operations.ts'
import { createHooks, createWebhookCopier, type Hooks } from './hooks.service.ts'
import { repoWebhookProjections } from './repo-created.projection.ts'
import { sealedHookColumns } from './sealed-columns.ts'

declare module '../subject.ts' {
  interface Services {
    readonly hooks: Hooks
    readonly webhookCopier: TemplateCopier
  }
}

/** Webhooks of repositories, accounts and the site. */
export const subject = defineSubject({
  name: 'hooks',
  needs: [],
  create({ config, database, clock, events, secrets }, _services, guards) {
    const hooks = createHooks({ database, clock, events, secrets })
    return {
      services: { hooks, webhookCopier: createWebhookCopier(clock) },
      operations: [
        ...gitHookOperations({ guards }),
        ...hookOperations({ guards, hooks, disabled: config.webhook.disabled }),
      ],
      events: hookEvents,
      projections: repoWebhookProjections,
      sealedColumns: [sealedHookColumns],
    }
  },
})
