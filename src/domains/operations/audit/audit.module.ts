import { defineModule } from '../../../core/module.ts'
import { auditTasks, createAuditJobs } from './audit.jobs.ts'
import { auditOperations } from './audit.operations.ts'
import { auditProjections } from './audit.projection.ts'
import { type AuditLog, createAuditLog } from './audit.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly auditLog: AuditLog
  }
}

/**
 * The log of changes to accounts, rights and settings: written in the transaction of the change, retained for
 * `audit.days`.
 */
export const module = defineModule({
  name: 'audit',
  needs: [],
  create({ config, database, clock, jobs }) {
    const auditLog = createAuditLog({ database, clock, days: config.audit.days })
    return {
      services: { auditLog },
      operations: auditOperations({ auditLog }),
      projections: auditProjections,
      jobs: createAuditJobs(auditLog),
      tasks: auditTasks(jobs),
    }
  },
})
