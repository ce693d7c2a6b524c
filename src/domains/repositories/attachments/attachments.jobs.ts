import { Type } from '@sinclair/typebox'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import type { Attachments } from './attachments.service.ts'

const attachmentJobPayloads = {
  /** Deletes the blob of a deleted attachment unless another attachment uses it. */
  'attachment.release': Type.Object({ hash: Type.String() }),
  /** Deletes the blobs that no attachment uses. */
  'attachments.sweep': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof attachmentJobPayloads> {}
}

export function createAttachmentJobs(attachments: Pick<Attachments, 'deleteUnusedBlob' | 'sweep'>): JobDefinitions {
  return {
    'attachment.release': defineJob(attachmentJobPayloads['attachment.release'], ({ hash }) =>
      attachments.deleteUnusedBlob(hash),
    ),
    'attachments.sweep': defineJob(attachmentJobPayloads['attachments.sweep'], (_, signal) =>
      attachments.sweep(signal),
    ),
  }
}

export const attachmentTasks = (jobs: Jobs): ScheduledTask[] => [
  {
    name: 'delete_lost_attachments',
    schedule: '29 3 * * *',
    start: (tx) => jobs.enqueue(tx, 'attachments.sweep', {}, { key: 'all' }),
  },
]
