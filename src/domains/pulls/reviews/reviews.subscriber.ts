import type { Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'
import { ownerSubscriptions, enqueueSync } from './reviews.jobs.ts'

/** Updates reviews to the head and the base of their pull request, and requests the owners of changed files. */
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
      (tx, { payload, actorId }) => enqueueSync(jobs, tx, { pullId: payload.pull_id, actorId }),
    ],
    'pull.retargeted': (tx, { payload, actorId }) => enqueueSync(jobs, tx, { pullId: payload.pull_id, actorId }),
    'review.submitted': async (tx, { payload, actorId }) => {
      if (payload.is_current !== true) await enqueueSync(jobs, tx, { pullId: payload.pull_id, actorId })
    },
  }
}
