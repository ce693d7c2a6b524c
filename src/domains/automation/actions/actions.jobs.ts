import { Type } from '@sinclair/typebox'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import type { StoredFiles } from './stored-files.ts'

const actionsJobPayloads = {
  /** Marks expired artifacts and logs, and deletes their bytes. */
  'actions.expire': Type.Object({}),
  /** Deletes those of the blobs that no log or artifact uses. */
  'actions.release': Type.Object({ hashes: Type.Array(Type.String()) }),
  /** Deletes all blobs that no log or artifact uses. */
  'actions.sweep': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof actionsJobPayloads> {}
}

export const createActionsJobs = (files: StoredFiles): JobDefinitions => ({
  'actions.expire': defineJob(actionsJobPayloads['actions.expire'], (_, signal) => files.expire(signal)),
  'actions.release': defineJob(actionsJobPayloads['actions.release'], ({ hashes }, signal) =>
    files.deleteUnused(hashes, signal),
  ),
  'actions.sweep': defineJob(actionsJobPayloads['actions.sweep'], (_, signal) => files.sweep(signal)),
})

export const actionsTasks = (jobs: Jobs): ScheduledTask[] => [
  {
    name: 'cleanup_actions',
    schedule: '7 0 * * *',
    start: (tx) => jobs.enqueue(tx, 'actions.expire', {}, { key: 'all' }),
  },
  {
    name: 'delete_lost_actions_files',
    schedule: '41 3 * * *',
    start: (tx) => jobs.enqueue(tx, 'actions.sweep', {}, { key: 'all' }),
  },
]
