import { defineModule } from '../../../core/module.ts'
import { createPackageGuard } from '../packages/package.guards.ts'
import { createCleanupRules } from './cleanup-rules.service.ts'
import { cleanupTasks, createCleanupJobs } from './cleanup.jobs.ts'
import { cleanupOperations } from './cleanup.operations.ts'
import { createCleanup } from './cleanup.service.ts'

/** Rules by which old versions of packages are deleted (docs/guide/packages.md#deleting-old-versions). */
export const module = defineModule({
  name: 'package-cleanup',
  needs: ['packageTypes'],
  create({ database, clock, events, jobs, log, site, taskPool }, { packageTypes }) {
    const cleanup = createCleanup({ database, clock, events, log, taskPool })
    const rules = createCleanupRules({ database, clock, packageTypes })
    return {
      jobs: createCleanupJobs({ database, jobs }, cleanup),
      tasks: cleanupTasks(jobs),
      operations: cleanupOperations({ packageGuard: createPackageGuard({ database }), rules, cleanup, site }),
    }
  },
})
