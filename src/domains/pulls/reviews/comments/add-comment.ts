import type { SignedIn } from '../../../../core/access/viewer.ts'
import { engineErrors } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import {
  requireOpenToComments,
  type Issue,
  type TimelineEntry,
  issueQueries,
  timelineQueries,
  issueRules,
} from '../../../issues/index.ts'
import { changePull } from '../../pulls/lifecycle/pull-change.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import { findCommentPosition, type CommentPosition } from '../records/records.store.ts'
import { findReview, lockReview, type Review } from '../records/review.store.ts'
import type { ReviewDeps, ReviewInView } from '../review-in-view.ts'
import { appendReviewEvent } from '../reviews.events.ts'
import { currentSpan, findSpan, publishTexts } from '../reviews/post-review.ts'
import { insertComments, type LocatedComment, locateComments, type NewComment } from './locate-comments.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { Repo } from '../../../repositories/index.ts'
import { type User, userQueries } from '../../../accounts/index.ts'

/**
 * Adds a comment to a review in any state (behaviour/pull-requests#review-comments). Throws Forbidden for a blocked
 * account. Returns the id.
 */
export async function addComment(
  deps: ReviewDeps,
  actor: SignedIn,
  target: ReviewInView,
  comment: NewComment,
): Promise<number> {
  const { repo, pull, review } = target
  const git = deps.git.open(repo)
  const current = currentSpan(pull)
  const reviewed = (await findSpan(git, pull, review.commitOid)) ?? current
  const [located] = await locateComments(git, { reviewed, current }, [comment])
  return insertOne(deps, actor, target, { review, comment: located! })
}

/**
 * Replies to a comment of a review on the same line (behaviour/pull-requests#review-comments). Throws BadRequest when
 * it is not a comment of a review, NotFound when it belongs to another pull request, Invalid for an empty text. Returns
 * the id.
 */
export async function replyTo(
  deps: ReviewDeps,
  actor: SignedIn,
  target: PullInView,
  { entryId, body }: { readonly entryId: number; readonly body: string },
): Promise<number> {
  if (body.trim() === '') throw engineErrors.fieldRequired('Body')
  const { read } = deps.database
  const entry = await timelineQueries.find(read, entryId)
  if (entry?.issueId !== target.issue.id || issueRules.isHiddenFrom(actor, entry)) throw errors.commentNotFound()
  const location = await findCommentPosition(read, entryId)
  const review = location && (await findReview(read, location.reviewId))
  if (review === undefined) throw errors.notAReviewComment()
  return insertOne(deps, actor, target, { review, comment: { body, location: location!, replyTo: entryId } })
}

interface Insertion {
  readonly review: Review
  readonly comment: LocatedComment & { readonly replyTo?: number }
}

async function insertOne(
  deps: ReviewDeps,
  actor: SignedIn,
  target: PullInView,
  { review: { id }, comment }: Insertion,
): Promise<number> {
  const { repo, pull } = target
  const inserted = await changePull(deps, actor, { repo, pull }, async (change) => {
    const { tx, issue, at } = change
    await requireOpenToComments(tx, actor, target, issue)
    const review = await lockReview(tx, id)
    if (review === undefined) return undefined
    const [commentId] = await insertComments(change, review, [comment])
    if (review.kind === 'pending') return commentId
    await issueQueries.countNewComments(tx, issue.id, 0, at)
    await publishTexts(deps, change, [{ id: commentId!, actorId: actor.account.id, body: comment.body }])
    const ids = { review_id: id, comment_id: commentId! }
    await appendReviewEvent(change, 'review_comment.created', {
      ...ids,
      is_reply: comment.replyTo !== undefined,
      body: comment.body,
      poster_id: actor.account.id,
      created_at: at,
    })
    return commentId
  })
  if (inserted === undefined) throw errors.reviewDeleted()
  return inserted
}

/** The data of the wire model of a review comment. */
export interface ReviewCommentView {
  readonly entry: TimelineEntry
  readonly position: CommentPosition
  readonly issue: Issue
  readonly repo: Repo
  /** Undefined when the account was deleted. */
  readonly author: User | undefined
  readonly resolver: User | undefined
}

/** Views of comments of one pull request in the given order, with two queries. */
export async function loadReviewCommentViews(
  db: Db,
  { repo, issue }: { readonly repo: Repo; readonly issue: Issue },
  positions: readonly CommentPosition[],
): Promise<ReviewCommentView[]> {
  const entries = await timelineQueries.listByIds(
    db,
    positions.map((position) => position.entryId),
  )
  const users = await userQueries.listByIds(db, [
    ...entries.map((entry) => entry.actorId),
    ...positions.flatMap((position) => position.resolverId ?? []),
  ])
  const entryOf = new Map(entries.map((entry) => [entry.id, entry]))
  const userOf = new Map(users.map((user) => [user.id, user]))
  return positions.flatMap((position): ReviewCommentView[] => {
    const entry = entryOf.get(position.entryId)
    if (entry === undefined) return []
    const resolver = position.resolverId && userOf.get(position.resolverId)
    return [{ entry, position, issue, repo, author: userOf.get(entry.actorId), resolver }]
  })
}
