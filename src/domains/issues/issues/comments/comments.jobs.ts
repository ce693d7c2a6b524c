import { Type } from '@sinclair/typebox'
import { actorOf } from '../../../../core/access/viewer.ts'
import type { Subscriptions } from '../../../../core/events/index.ts'
import { defineJob, type JobDefinitions, type JobPayloadsOf, type Jobs } from '../../../../core/jobs/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import type { Comments } from './comments.service.ts'

const commentJobPayloads = {
  /** Deletes the comments of a deleted account; `actor_id` is the account that deleted it. */
  'comments.purge': Type.Object({ poster_id: Type.Integer(), actor_id: Type.Integer() }),
}

declare module '../../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof commentJobPayloads> {}
}

export const commentJobs = (comments: Pick<Comments, 'deleteAllBy'>): JobDefinitions => ({
  'comments.purge': defineJob(commentJobPayloads['comments.purge'], ({ poster_id, actor_id }, signal) =>
    comments.deleteAllBy(actorOf(asId(actor_id)), asId(poster_id), signal),
  ),
})

/** NOTE: a job, because an account may have any number of comments. */
export const commentSubscriptions = (jobs: Jobs): Subscriptions => ({
  async 'user.deleting'(tx, { payload, actorId }) {
    if (payload.purges !== true) return
    const job = { poster_id: payload.user_id, actor_id: actorId }
    await jobs.enqueue(tx, 'comments.purge', job, { key: String(payload.user_id) })
  },
})
