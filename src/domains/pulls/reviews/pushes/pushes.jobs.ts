import { Type } from '@sinclair/typebox'
import { actorOf } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { defineJob, type JobDefinitions, type JobPayloadsOf, type Jobs } from '../../../../core/jobs/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { followHead, type FollowDeps } from './follow-head.ts'

const pushJobPayloads = {
  /** Makes the reviews of a pull request follow its head. */
  'reviews.follow_head': Type.Object({ pull_id: Type.Integer(), actor_id: Type.Integer() }),
}

declare module '../../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof pushJobPayloads> {}
}

export const pushJobs = (deps: FollowDeps): JobDefinitions => ({
  'reviews.follow_head': defineJob(pushJobPayloads['reviews.follow_head'], ({ pull_id, actor_id }) =>
    followHead(deps, actorOf(asId(actor_id)), asId(pull_id)),
  ),
})

/** Comments and reviews that were posted while the head moved are followed too: the job looks at all of them. */
export const enqueueFollowing = (
  jobs: Jobs,
  tx: Tx,
  { pullId, actorId }: { readonly pullId: number; readonly actorId: number },
): Promise<void> =>
  jobs.enqueue(tx, 'reviews.follow_head', { pull_id: pullId, actor_id: actorId }, { key: String(pullId) })
