export type { DiskQuota } from './disk-quota.ts'
export type { QuotaSubject } from './quota.policy.ts'
