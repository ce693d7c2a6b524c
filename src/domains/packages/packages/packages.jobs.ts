import { Type } from '@sinclair/typebox'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import type { PackageContents } from './package-contents.service.ts'

const packageJobPayloads = {
  /** Deletes the bytes of deleted packages and of uploads that were not finished. */
  'packages.sweep': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof packageJobPayloads> {}
}

export function createPackageJobs(contents: Pick<PackageContents, 'sweep'>): JobDefinitions {
  return { 'packages.sweep': defineJob(packageJobPayloads['packages.sweep'], (_, signal) => contents.sweep(signal)) }
}

export function packageTasks(jobs: Jobs): ScheduledTask[] {
  return [
    {
      name: 'cleanup_packages',
      schedule: '23 2 * * *',
      start: (tx) => jobs.enqueue(tx, 'packages.sweep', {}, { key: 'all' }),
    },
  ]
}
