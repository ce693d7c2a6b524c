import { Type } from '@sinclair/typebox'
import type { PackCache } from '../../../core/git/index.ts'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'

const archiveJobPayloads = {
  /** Deletes the stored archives. */
  'archives.clear': Type.Object({}),
  /** Deletes the stored archives that are older than a day. */
  'archives.trim': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof archiveJobPayloads> {}
}

const DAY_MS = 24 * 60 * 60_000

export const createArchiveJobs = (cache: PackCache | undefined): JobDefinitions => ({
  'archives.clear': defineJob(archiveJobPayloads['archives.clear'], async () => cache?.clear()),
  'archives.trim': defineJob(archiveJobPayloads['archives.trim'], async () => cache?.clear(DAY_MS)),
})

export const archiveTasks = (jobs: Jobs): ScheduledTask[] => [
  {
    name: 'archive_cleanup',
    schedule: '7 0 * * *',
    start: (tx) => jobs.enqueue(tx, 'archives.trim', {}, { key: 'all' }),
  },
  {
    name: 'delete_repo_archives',
    schedule: '0 0 * * *',
    isOff: true,
    start: (tx) => jobs.enqueue(tx, 'archives.clear', {}, { key: 'all' }),
  },
]
