import { defineModule } from '../../../core/module.ts'
import { createQuotaParts, type QuotaParts } from './quota-parts.ts'
import { createDiskQuota, type DiskQuota, createQuotaView } from './quota.service.ts'
import { createQuotaGroups } from './quota-groups.service.ts'
import { createQuotaRules } from './quota-rules.service.ts'
import { quotaEvents } from './quota.events.ts'
import { quotaOperations } from './quota.operations.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly quota: DiskQuota
    /** The registry in which modules that store bytes register what owners use. */
    readonly quotaParts: QuotaParts
  }
}

/** Limits on the number of bytes that owners of repositories may use. */
export const module = defineModule({
  name: 'quota',
  needs: [],
  create({ config: { quota }, database, clock, events, site }, _services, guards) {
    const settings = {
      isEnabled: quota.enabled,
      defaultGroups: quota.default_groups,
      defaultTotal: quota.default_total,
    }
    const parts = createQuotaParts()
    return {
      services: { quota: createDiskQuota({ database, settings, parts }), quotaParts: parts },
      operations: quotaOperations({
        quotaGroups: createQuotaGroups({ database, clock, events }),
        quotaRules: createQuotaRules({ database, clock, events }),
        quotaView: createQuotaView({ database, settings, parts }),
        guards,
        site,
      }),
      events: quotaEvents,
    }
  },
})
