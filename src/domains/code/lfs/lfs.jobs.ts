import { Type } from '@sinclair/typebox'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import type { LfsObjects } from './objects/lfs-objects.service.ts'

const lfsJobPayloads = {
  /** Deletes the large files that belong to no repository. */
  'lfs.sweep': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof lfsJobPayloads> {}
}

export function createLfsJobs(objects: Pick<LfsObjects, 'sweep'>): JobDefinitions {
  return { 'lfs.sweep': defineJob(lfsJobPayloads['lfs.sweep'], (_, signal) => objects.sweep(signal)) }
}

export function lfsTasks(jobs: Jobs): ScheduledTask[] {
  return [{ name: 'gc_lfs', schedule: '53 3 * * *', start: (tx) => jobs.enqueue(tx, 'lfs.sweep', {}, { key: 'all' }) }]
}
