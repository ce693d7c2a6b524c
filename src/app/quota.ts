import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import { createDiskQuota, createQuotaGroups, createQuotaRules, createQuotaView, type DiskQuota, type QuotaGroups, type QuotaRules, type QuotaView } from '../domain/quota/index.ts'

export interface QuotaServices {
  readonly quota: DiskQuota
  readonly quotaGroups: QuotaGroups
  readonly quotaRules: QuotaRules
  readonly quotaView: QuotaView
}

export function createQuotaServices({ config: { quota }, database }: { config: Config; database: Database }): QuotaServices {
  const settings = { isEnabled: quota.enabled, defaultGroups: quota.default_groups, defaultTotal: quota.default_total }
  return { quota: createDiskQuota({ database, settings }), quotaGroups: createQuotaGroups({ database }), quotaRules: createQuotaRules({ database }), quotaView: createQuotaView({ database, settings }) }
}
