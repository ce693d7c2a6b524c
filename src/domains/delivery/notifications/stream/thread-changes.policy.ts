import type { DomainEvent, EventKind, EventPayload } from '../../../../core/events/index.ts'

/** Selects the threads that an event may have changed. */
export type ThreadChange = { readonly eventId: number } & (
  | { readonly kind: 'marked'; readonly userId: number; readonly threadIds: readonly number[] }
  /** Threads about the issue, or about the repository itself, with an activity at `since` or later. */
  | { readonly kind: 'issue'; readonly issueId: number; readonly since: number }
  | { readonly kind: 'repository'; readonly repoId: number; readonly since: number }
)

const OF_ISSUE = [
  'comment.created',
  'issue.assigned',
  'issue.closed',
  'issue.created',
  'issue.edited',
  'issue.mentioned',
  'issue.reopened',
  'pull.synchronized',
  'review.dismissed',
  'review.requested',
  'review.submitted',
  'review_comment.created',
] as const satisfies readonly EventKind[]

/** The kinds of events after which a user may have a new or changed thread. */
export const NOTIFYING_KINDS: readonly EventKind[] = [
  ...OF_ISSUE,
  'notification.marked',
  'notification.spread',
  'repo.transfer_started',
]

const isKind = <Kind extends EventKind>(event: DomainEvent, kind: Kind): event is DomainEvent & DomainEvent<Kind> =>
  event.kind === kind

/** The change of threads by an event of one of these kinds. */
export function threadChangeOf(event: DomainEvent): ThreadChange {
  const { id: eventId, at: since } = event
  if (isKind(event, 'notification.marked')) {
    const { user_id: userId, thread_ids: threadIds } = event.payload
    return { eventId, kind: 'marked', userId, threadIds }
  }
  if (isKind(event, 'repo.transfer_started'))
    return { eventId, kind: 'repository', repoId: event.payload.repo_id, since }
  if (isKind(event, 'notification.spread'))
    return { eventId, kind: 'issue', issueId: event.payload.issue_id, since: event.payload.at }
  const { issue_id: issueId } = event.payload as EventPayload<(typeof OF_ISSUE)[number]>
  return { eventId, kind: 'issue', issueId, since }
}
