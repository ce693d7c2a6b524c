import type { Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'
import { ownerSubscriptions, enqueueFollowing } from './reviews.jobs.ts'

/** Reviews follow the head and the base of their pull request, and owners of changed files are asked for them. */
export function reviewSubscriptions(deps: {
  readonly jobs: Jobs
  readonly draftPrefixes: readonly string[]
}): Subscriptions {
  const { jobs } = deps
  const owners = ownerSubscriptions(deps)
  return {
    ...owners,
    'pull.synchronized': [
      ...[owners['pull.synchronized'] ?? []].flat(),
      (tx, { payload, actorId }) => enqueueFollowing(jobs, tx, { pullId: payload.pull_id, actorId }),
    ],
    'pull.retargeted': (tx, { payload, actorId }) => enqueueFollowing(jobs, tx, { pullId: payload.pull_id, actorId }),
    /** NOTE: a push may have moved the head while git looked at what was posted. */
    'review.submitted': (tx, { payload, actorId }) => enqueueFollowing(jobs, tx, { pullId: payload.pull_id, actorId }),
  }
}
