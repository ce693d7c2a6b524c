import { Type } from '@sinclair/typebox'
import type { Core } from '../../../core/module.ts'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import { deleteUnusedUpstreamFiles } from './upstream-file.store.ts'

const upstreamJobPayloads = {
  /** Deletes copies of upstreams that nobody has read for a while. */
  'packages.clean_upstreams': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof upstreamJobPayloads> {}
}

const DAY_MS = 24 * 60 * 60 * 1000

export function createUpstreamJobs(
  { database, clock }: Pick<Core, 'database' | 'clock'>,
  keepDays: number,
): JobDefinitions {
  return {
    'packages.clean_upstreams': defineJob(upstreamJobPayloads['packages.clean_upstreams'], async (_, signal) => {
      const before = clock.now() - keepDays * DAY_MS
      while (await database.transaction((tx) => deleteUnusedUpstreamFiles(tx, before))) signal.throwIfAborted()
    }),
  }
}

/** Scheduled before the sweep of the bytes of packages. */
export function upstreamTasks(jobs: Jobs): ScheduledTask[] {
  return [
    {
      name: 'cleanup_package_upstreams',
      schedule: '13 2 * * *',
      start: (tx) => jobs.enqueue(tx, 'packages.clean_upstreams', {}, { key: 'all' }),
    },
  ]
}
