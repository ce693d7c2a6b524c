import { Type } from '@sinclair/typebox'
import { defineJob, type JobDefinitions, type JobPayloadsOf } from '../../../core/jobs/index.ts'
import type { Notifier } from './threads/notifier.ts'

const notificationJobPayloads = {
  /** Notifies the followers of an issue after this user, in batches: there may be many. */
  'notifications.spread': Type.Object({
    issue_id: Type.Integer(),
    actor_id: Type.Integer(),
    at: Type.Integer(),
    after: Type.Integer(),
  }),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof notificationJobPayloads> {}
}

export const createNotificationJobs = (notifier: Notifier): JobDefinitions => ({
  'notifications.spread': defineJob(notificationJobPayloads['notifications.spread'], (payload, signal) =>
    notifier.spread(payload, signal),
  ),
})
