/** How much owners may keep (reference auth-and-access §17). */
export type { QuotaGroup, QuotaRule } from '../../db/stores/quota.store.ts'
export type { UsedAttachment } from '../../db/stores/quota-usage.store.ts'
export type { QuotaSubject, QuotaUsage } from '../../policy/quota.ts'
export { createDiskQuota, type DiskQuota } from './disk-quota.ts'
export { createQuotaView, type QuotaOfOwner, type QuotaView } from './quota-view.ts'
export { createQuotaGroups, type QuotaGroups } from './quota-groups.service.ts'
export { createQuotaRules, type QuotaRules } from './quota-rules.service.ts'
export { NO_QUOTA, type QuotaSettings } from './room.ts'
