import { Type } from '@sinclair/typebox'
import type { EventPayload, NewEvent, PayloadsOf } from '../../../core/events/index.ts'
import type { IssueEntities } from '../../issues/index.ts'
import type { PullChange } from '../pulls/lifecycle/pull-change.ts'

const Id = Type.Integer()
const OfPull = { repo_id: Id, issue_id: Id, number: Id, pull_id: Id }

export const reviewEvents = {
  /** A comment was added to a submitted review. */
  'review_comment.created': Type.Object({
    ...OfPull,
    review_id: Id,
    comment_id: Id,
    is_reply: Type.Boolean(),
    /** The text, for handlers that run after the comment is deleted. */
    body: Type.Optional(Type.String()),
    poster_id: Type.Optional(Id),
    created_at: Type.Optional(Type.Number()),
  }),
  'review.dismissed': Type.Object({ ...OfPull, review_id: Id }),
  /** The request of a user or a team: the other member is 0. */
  'review.request_deleted': Type.Object({ ...OfPull, review_id: Id, user_id: Id, team_id: Id }),
  'review.requested': Type.Object({ ...OfPull, review_id: Id, user_id: Id, team_id: Id }),
  /**
   * The kind of the review: `approved`, `rejected` or `comment`; and its text, for handlers that run after it is
   * deleted.
   */
  'review.submitted': Type.Object({
    ...OfPull,
    review_id: Id,
    kind: Type.String(),
    reviewer_id: Type.Optional(Id),
    body: Type.Optional(Type.String()),
    /** No push has moved the head since the review and its comments were compared with it. */
    is_current: Type.Optional(Type.Boolean()),
  }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof reviewEvents> {}
  interface EventEntities extends Record<keyof typeof reviewEvents, IssueEntities> {}
}

type ReviewEventKind = keyof typeof reviewEvents

/** Appends an event of a review; `ofKind` contains its members except the ids of the pull request. */
export async function appendReviewEvent<Kind extends ReviewEventKind>(
  { tx, events, repo, issue, pull, actor, at }: PullChange,
  kind: Kind,
  ofKind: Omit<EventPayload<Kind>, keyof typeof OfPull>,
): Promise<void> {
  const entities: IssueEntities = { repo, issue }
  const ids = { repo_id: issue.repoId, issue_id: issue.id, number: issue.number, pull_id: pull.id }
  const event = { kind, payload: { ...ids, ...ofKind }, entities } as unknown as NewEvent
  await events.appendAll(tx, { actor, repoId: issue.repoId, at }, [event])
}
