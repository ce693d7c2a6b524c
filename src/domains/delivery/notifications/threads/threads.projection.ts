import type { Tx } from '../../../../core/db/database.ts'
import type { AppendedEvent, Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { issueQueries } from '../../../issues/index.ts'
import type { LeavesDraft } from './leaves-draft.ts'
import type { Notifier } from './notifier.ts'
import { moveThreads } from './recipients.store.ts'

type OfIssue =
  | 'comment.created'
  | 'issue.closed'
  | 'issue.created'
  | 'issue.edited'
  | 'issue.reopened'
  | 'merge_queue.left'
  | 'pull.synchronized'
  | 'review.dismissed'
  | 'review.submitted'
  | 'review_comment.created'

/** What notifies users; clients read it right after the change (behaviour/issues#notifications). */
export function threadProjections(notifier: Notifier, leavesDraft: LeavesDraft): Projections {
  const followers = (tx: Tx, { actorId, payload }: AppendedEvent<OfIssue>): Promise<void> =>
    notifier.followers(tx, { issueId: asId(payload.issue_id), actorId: asId(actorId) })
  const one = async (
    tx: Tx,
    { actorId, payload }: AppendedEvent<'issue.assigned' | 'review.requested'>,
    reason: 'assigned' | 'review-requested',
  ): Promise<void> => {
    const issue = await issueQueries.findById(tx, asId(payload.issue_id))
    // NOTE: a request of a team names no user.
    if (issue === undefined || payload.user_id === 0) return
    await notifier.users(tx, { issue, actorId: asId(actorId), userIds: [asId(payload.user_id)], reason })
  }
  return {
    // NOTE: reviewers of a new pull request were asked before, and their threads keep that as the reason.
    'issue.created': (tx, { actorId, at, payload }) =>
      notifier.followers(tx, {
        issueId: asId(payload.issue_id),
        actorId: asId(actorId),
        notBefore: at,
        isNew: true,
      }),
    'comment.created': followers,
    'issue.closed': followers,
    'issue.edited': async (tx, event) => {
      if (await leavesDraft(tx, event.payload)) await followers(tx, event)
    },
    'issue.reopened': followers,
    'merge_queue.left': async (tx, event) => {
      if (event.payload.is_failure) await followers(tx, event)
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
