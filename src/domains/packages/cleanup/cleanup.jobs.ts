import { Type } from '@sinclair/typebox'
import type { Core } from '../../../core/module.ts'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import { listEnabledRuleIds } from './cleanup-rule.store.ts'
import type { Cleanup } from './cleanup.service.ts'

const cleanupJobPayloads = {
  /** Enqueues the enabled rules after this one. */
  'packages.apply_rules': Type.Object({ after: Type.Integer() }),
  'packages.apply_rule': Type.Object({ rule_id: Type.Integer() }),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof cleanupJobPayloads> {}
}

export function createCleanupJobs(
  { database, jobs }: Pick<Core, 'database' | 'jobs'>,
  cleanup: Cleanup,
): JobDefinitions {
  return {
    'packages.apply_rules': defineJob(cleanupJobPayloads['packages.apply_rules'], ({ after }) =>
      database.transaction(async (tx) => {
        const ids = await listEnabledRuleIds(tx, after)
        for (const id of ids) await jobs.enqueue(tx, 'packages.apply_rule', { rule_id: id }, { key: String(id) })
        const last = ids.at(-1)
        if (last !== undefined) await jobs.enqueue(tx, 'packages.apply_rules', { after: last }, { key: String(last) })
      }),
    ),
    'packages.apply_rule': defineJob(cleanupJobPayloads['packages.apply_rule'], ({ rule_id: id }, signal) =>
      cleanup.apply(id, signal),
    ),
  }
}

/** Scheduled before the sweep of the bytes of packages. */
export function cleanupTasks(jobs: Jobs): ScheduledTask[] {
  return [
    {
      name: 'apply_package_cleanup_rules',
      schedule: '33 1 * * *',
      start: (tx) => jobs.enqueue(tx, 'packages.apply_rules', { after: 0 }, { key: 'all' }),
    },
  ]
}
