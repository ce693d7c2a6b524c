import { defineModule } from '../../../core/module.ts'
import { createDiskQuota, type DiskQuota, createQuotaView, type QuotaView } from './quota.service.ts'
import { createQuotaGroups, type QuotaGroups } from './quota-groups.service.ts'
import { createQuotaRules, type QuotaRules } from './quota-rules.service.ts'
import { quotaEvents } from './quota.events.ts'
import { quotaOperations } from './quota.operations.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly quota: DiskQuota
    readonly quotaGroups: QuotaGroups
    readonly quotaRules: QuotaRules
    readonly quotaView: QuotaView
  }
}

/** How many bytes the owners of repositories may use. */
export const module = defineModule({
  name: 'quota',
  needs: [],
  create({ config: { quota }, database, clock, events, site }, _services, guards) {
    const settings = {
      isEnabled: quota.enabled,
      defaultGroups: quota.default_groups,
      defaultTotal: quota.default_total,
    }
    const services = {
      quota: createDiskQuota({ database, settings }),
      quotaGroups: createQuotaGroups({ database, clock, events }),
      quotaRules: createQuotaRules({ database, clock, events }),
      quotaView: createQuotaView({ database, settings }),
    }
    return { services, operations: quotaOperations({ ...services, guards, site }), events: quotaEvents }
  },
})
