export type { DiskQuota } from './disk-quota.service.ts'
export type { QuotaSubject } from './quota.policy.ts'
