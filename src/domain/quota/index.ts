/** How much disk space owners may take. */
export { createDiskQuota, type DiskQuota, type QuotaSubject } from './disk-quota.ts'
