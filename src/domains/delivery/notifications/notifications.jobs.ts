import { Type } from '@sinclair/typebox'
import { defineJob, type JobDefinitions, type JobPayloadsOf } from '../../../core/jobs/index.ts'
import type { IssueMail } from './mail/issue-mail.service.ts'
import type { RunMail } from './mail/run-mail.service.ts'
import { MailActivity } from './mail/mail-activity.ts'
import type { Notifier } from './threads/notifier.ts'

const mailJobPayloads = {
  /** Enqueues mail to followers of the issue after this user. */
  'mail.fan_out': Type.Object({ activity: MailActivity, after: Type.Integer() }),
  /** Tells the user who started a run that it failed. */
  'mail.failed_run': Type.Object({ repo_id: Type.Integer(), run_id: Type.Integer() }),
  'mail.send': Type.Object({ activity: MailActivity, user_ids: Type.Array(Type.Integer()), attempt: Type.Integer() }),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof mailJobPayloads> {}
}

/** When mail is disabled, jobs from an earlier configuration are dropped. */
export const createMailJobs = (mail: IssueMail | undefined, runMail: RunMail | undefined): JobDefinitions => ({
  'mail.fan_out': defineJob(mailJobPayloads['mail.fan_out'], async ({ activity, after }) =>
    mail?.spread(activity, after),
  ),
  'mail.failed_run': defineJob(mailJobPayloads['mail.failed_run'], async (run, signal) => runMail?.send(run, signal), {
    group: 'mail',
  }),
  'mail.send': defineJob(mailJobPayloads['mail.send'], async (batch, signal) => mail?.send(batch, signal), {
    group: 'mail',
  }),
})

const notificationJobPayloads = {
  /** Notifies the followers of an issue after this user, in batches, because there may be many. */
  'notifications.fan_out': Type.Object({
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
  'notifications.fan_out': defineJob(notificationJobPayloads['notifications.fan_out'], (payload, signal) =>
    notifier.spread(payload, signal),
  ),
})
