import { Type } from '@sinclair/typebox'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import type { AuditLog } from './audit.service.ts'

const auditJobPayloads = {
  /** Deletes the entries that are older than `audit.days`. */
  'audit.prune': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof auditJobPayloads> {}
}

export const createAuditJobs = (auditLog: Pick<AuditLog, 'prune'>): JobDefinitions => ({
  'audit.prune': defineJob(auditJobPayloads['audit.prune'], (_, signal) => auditLog.prune(signal)),
})

export const auditTasks = (jobs: Jobs): ScheduledTask[] => [
  {
    name: 'delete_old_audit_entries',
    schedule: '41 3 * * *',
    start: (tx) => jobs.enqueue(tx, 'audit.prune', {}, { key: 'all' }),
  },
]
