import { Type } from '@sinclair/typebox'
import { defineJob, type JobDefinitions, type JobPayloadsOf } from '../../../../core/jobs/index.ts'
import type { IssueMail } from './issue-mail.service.ts'
import { MailActivity } from './mail-activity.ts'

const mailJobPayloads = {
  /** Enqueues mail to followers of the issue after this user. */
  'mail.spread': Type.Object({ activity: MailActivity, after: Type.Integer() }),
  'mail.send': Type.Object({ activity: MailActivity, user_ids: Type.Array(Type.Integer()), attempt: Type.Integer() }),
}

declare module '../../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof mailJobPayloads> {}
}

/** Without mail, what an earlier configuration enqueued is dropped. */
export const createMailJobs = (mail: IssueMail | undefined): JobDefinitions => ({
  'mail.spread': defineJob(mailJobPayloads['mail.spread'], async ({ activity, after }) =>
    mail?.spread(activity, after),
  ),
  'mail.send': defineJob(mailJobPayloads['mail.send'], async (batch, signal) => mail?.send(batch, signal), {
    lane: 'mail',
  }),
})
