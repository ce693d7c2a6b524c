import type { Tx } from '../../../../core/db/database.ts'
import type { AppendedEvent, Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { repoQueries } from '../../../repositories/index.ts'
import type { IsMarkedReady } from './is-marked-ready.ts'
import type { Notifier } from './notifier.ts'
import { moveThreads } from './recipients.store.ts'

type OfIssue =
  | 'comment.created'
  | 'issue.closed'
  | 'issue.created'
  | 'issue.edited'
  | 'issue.reopened'
  | 'pull.synchronized'
  | 'review.dismissed'
  | 'review.submitted'
  | 'review_comment.created'

/**
 * Writes notifications in the transaction of the change, because clients read them right after it
 * (behaviour/issues#notifications).
 */
export function threadProjections(notifier: Notifier, isMarkedReady: IsMarkedReady): Projections {
  const followers = (tx: Tx, { actorId, entities }: AppendedEvent<OfIssue>): Promise<void> =>
    notifier.followers(tx, { ...entities, actorId: asId(actorId) })
  const one = async (
    tx: Tx,
    { actorId, payload, entities }: AppendedEvent<'issue.assigned' | 'review.requested'>,
    reason: 'assigned' | 'review-requested',
  ): Promise<void> => {
    // NOTE: the request of a team contains no user.
    if (payload.user_id === 0) return
    await notifier.users(tx, { ...entities, actorId: asId(actorId), userIds: [asId(payload.user_id)], reason })
  }
  return {
    // NOTE: reviewers of a new pull request are requested before, and their threads keep that reason.
    'issue.created': (tx, { actorId, at, entities }) =>
      notifier.followers(tx, { ...entities, actorId: asId(actorId), notBefore: at, isNew: true }),
    'comment.created': followers,
    'issue.closed': followers,
    'issue.edited': async (tx, event) => {
      if (isMarkedReady(event)) await followers(tx, event)
    },
    'issue.reopened': followers,
    'merge_queue.left': async (tx, { actorId, payload, entities: { issue } }) => {
      const repo = payload.is_failure ? await repoQueries.findById(tx, issue.repoId) : undefined
      if (repo !== undefined) await notifier.followers(tx, { repo, issue, actorId: asId(actorId) })
    },
    'pull.synchronized': followers,
    'review.dismissed': followers,
    'review.submitted': followers,
    'review_comment.created': followers,
    'issue.assigned': (tx, event) => one(tx, event, 'assigned'),
    'review.requested': (tx, event) => one(tx, event, 'review-requested'),
    'issue.transferred': (tx, { payload }) => moveThreads(tx, asId(payload.issue_id), asId(payload.repo_id)),
    'repo.transfer_started': (tx, { actorId, payload }) =>
      notifier.transfer(tx, {
        repoId: asId(payload.repo_id),
        recipientId: asId(payload.recipient_id),
        actorId: asId(actorId),
      }),
  }
}
