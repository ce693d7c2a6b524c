import type { Tx } from '../../../core/db/database.ts'
import type { AppendedEvent, Projections } from '../../../core/events/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import type { IssueNotice } from '../../issues/index.ts'
import type { IsMarkedReady } from './threads/is-marked-ready.ts'
import type { IssueMail } from './mail/issue-mail.service.ts'
import type { MailActivity } from './mail/mail-activity.ts'
import { lostAccessProjections } from '../../repositories/index.ts'
import {
  deleteIssueWatches,
  listReposOfIssueWatches,
  listTeamIssueWatchers,
} from './subscriptions/issue-watch.store.ts'

type OfIssue =
  | 'comment.created'
  | 'issue.assigned'
  | 'issue.closed'
  | 'issue.created'
  | 'issue.edited'
  | 'issue.reopened'
  | 'review_comment.created'

interface MailProjectionDeps {
  readonly mail: IssueMail
  readonly clock: Clock
  readonly isMarkedReady: IsMarkedReady
}

/** Enqueues mail for notifying events. */
export function mailProjections({ mail, clock, isMarkedReady }: MailProjectionDeps) {
  const activityOf = (kind: MailActivity['kind'], event: AppendedEvent<OfIssue>, commentId = 0): MailActivity => ({
    kind,
    issue_id: event.payload.issue_id,
    actor_id: event.actorId,
    comment_id: commentId,
    at: clock.now(),
  })
  const followers = (kind: MailActivity['kind']) => (tx: Tx, event: AppendedEvent<OfIssue>) =>
    mail.toFollowers(tx, activityOf(kind, event))
  return {
    'issue.created': followers('created'),
    'issue.closed': followers('closed'),
    'issue.edited': async (tx, event) => {
      if (isMarkedReady(event)) await mail.toFollowers(tx, activityOf('ready', event))
    },
    'issue.reopened': followers('reopened'),
    'comment.created': (tx, event) => mail.toFollowers(tx, activityOf('comment', event, event.payload.comment_id)),
    'review_comment.created': (tx, event) =>
      mail.toFollowers(tx, activityOf('comment', event, event.payload.comment_id)),
    'issue.assigned': (tx, event) => mail.toUsers(tx, activityOf('assigned', event), [asId(event.payload.user_id)]),
  } satisfies Projections
}

export const activityOfNotice = ({ issue, actorId, reason, commentId = 0 }: IssueNotice, at: number): MailActivity => ({
  kind: reason,
  issue_id: issue.id,
  actor_id: actorId,
  comment_id: commentId,
  at,
})

/** Users who lose access to a repository are unsubscribed from its issues. */
export const issueWatchProjections = lostAccessProjections({
  listRepos: listReposOfIssueWatches,
  listTeamUsers: listTeamIssueWatchers,
  deleteRecords: deleteIssueWatches,
})
