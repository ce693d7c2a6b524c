import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import { createDiskQuota, type DiskQuota } from '../subjects/quota/disk-quota.ts'
import { createQuotaGroups, type QuotaGroups } from '../subjects/quota/quota-groups.service.ts'
import { createQuotaRules, type QuotaRules } from '../subjects/quota/quota-rules.service.ts'
import { createQuotaView, type QuotaView } from '../subjects/quota/quota-view.ts'

export interface QuotaServices {
  readonly quota: DiskQuota
  readonly quotaGroups: QuotaGroups
  readonly quotaRules: QuotaRules
  readonly quotaView: QuotaView
}

export function createQuotaServices({
  config: { quota },
  database,
}: {
  config: Config
  database: Database
}): QuotaServices {
  const settings = { isEnabled: quota.enabled, defaultGroups: quota.default_groups, defaultTotal: quota.default_total }
  return {
    quota: createDiskQuota({ database, settings }),
    quotaGroups: createQuotaGroups({ database }),
    quotaRules: createQuotaRules({ database }),
    quotaView: createQuotaView({ database, settings }),
  }
}
