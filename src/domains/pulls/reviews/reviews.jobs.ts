import { Type } from '@sinclair/typebox'
import type { Tx } from '../../../core/db/database.ts'
import type { Subscriptions } from '../../../core/events/index.ts'
import { defineJob, type JobDefinitions, type JobPayloadsOf, type Jobs } from '../../../core/jobs/index.ts'
import { asId, type PullId } from '../../../core/platform/crypto/ids.ts'
import { findPullByIssue } from '../pulls/records/pull.store.ts'
import { isDraftTitle } from '../pulls/pull.policy.ts'
import { type OwnerDeps, requestOwners } from './owners/request-owners.ts'
import { actorOf } from '../../../core/access/viewer.ts'
import { syncReviews, type SyncDeps } from './pushes/sync-reviews.ts'

const ownerJobPayloads = {
  /** Requests reviews from the owners of the changed files. */
  'reviews.request_owners': Type.Object({ pull_id: Type.Integer() }),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof ownerJobPayloads> {}
}

export const ownerJobs = (deps: OwnerDeps): JobDefinitions => ({
  'reviews.request_owners': defineJob(ownerJobPayloads['reviews.request_owners'], ({ pull_id }) =>
    requestOwners(deps, asId(pull_id)),
  ),
})

interface SubscriptionDeps {
  readonly jobs: Jobs
  /** Titles that begin with one of these are drafts. */
  readonly draftPrefixes: readonly string[]
}

/** Requests owners when a pull request is created, when its head changes, and when it stops being a draft. */
export const ownerSubscriptions = ({ jobs, draftPrefixes }: SubscriptionDeps): Subscriptions => {
  const enqueue = (tx: Tx, id: PullId): Promise<void> =>
    jobs.enqueue(tx, 'reviews.request_owners', { pull_id: id }, { key: String(id) })
  return {
    async 'issue.created'(tx, { payload }) {
      const pull = payload.is_pull ? await findPullByIssue(tx, asId(payload.issue_id)) : undefined
      if (pull !== undefined) await enqueue(tx, pull.id)
    },
    async 'issue.edited'(tx, { payload }) {
      const { is_pull: isPull, old_title: title } = payload
      const wasDraft = isPull && title !== undefined && isDraftTitle(title, draftPrefixes)
      const pull = wasDraft ? await findPullByIssue(tx, asId(payload.issue_id)) : undefined
      if (pull !== undefined && !pull.isDraft) await enqueue(tx, pull.id)
    },
    'pull.synchronized': (tx, { payload }) => enqueue(tx, asId(payload.pull_id)),
  }
}

const pushJobPayloads = {
  /** Updates the reviews of a pull request to its head. */
  'reviews.sync_head': Type.Object({ pull_id: Type.Integer(), actor_id: Type.Integer() }),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof pushJobPayloads> {}
}

export const pushJobs = (deps: SyncDeps): JobDefinitions => ({
  'reviews.sync_head': defineJob(pushJobPayloads['reviews.sync_head'], ({ pull_id, actor_id }) =>
    syncReviews(deps, actorOf(asId(actor_id)), asId(pull_id)),
  ),
})

/** The job handles all comments and reviews, including those that were posted while the head moved. */
export const enqueueSync = (
  jobs: Jobs,
  tx: Tx,
  { pullId, actorId }: { readonly pullId: number; readonly actorId: number },
): Promise<void> =>
  jobs.enqueue(tx, 'reviews.sync_head', { pull_id: pullId, actor_id: actorId }, { key: String(pullId) })
