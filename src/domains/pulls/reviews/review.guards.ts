import type { Database } from '../../../core/db/database.ts'
import { type Guard, nested } from '../../../core/http/guards/guard.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { parseInteger } from '../../../core/platform/paging.ts'
import { timelineQueries, issueRules } from '../../issues/index.ts'
import type { PullGuard } from '../pulls/pull.guards.ts'
import { findCommentPosition } from './records/records.store.ts'
import { findReview, findShownReview } from './records/review.store.ts'
import type { ReviewCommentInView, ReviewInView } from './review-in-view.ts'
import { canSeeReview } from './reviews.policy.ts'

/** A pull request and its review `{id}`; 404 when the requester may not see the review. */
export const reviewGuard = ({ read }: Database, outer: ReturnType<PullGuard>): Guard<ReviewInView> =>
  nested(outer, {
    async resolve({ repo, pull }, { params, viewer }) {
      const review = await findShownReview(read, repo, asId(parseInteger(params['id'])))
      if (review === undefined || review.pullId !== pull.id || !canSeeReview(viewer, review))
        throw errors.reviewNotFound()
      return { review }
    },
    async recheck({ review }) {
      if ((await findReview(read, review.id)) === undefined) throw errors.reviewDeleted()
    },
  })

/** A review of a pull request and its comment `{comment}`. */
export const reviewCommentGuard = (database: Database, outer: ReturnType<PullGuard>): Guard<ReviewCommentInView> =>
  nested(reviewGuard(database, outer), {
    async resolve({ review }, { params }) {
      const id = parseInteger(params['comment'])
      const [entry, position] = await Promise.all([
        timelineQueries.find(database.read, id),
        findCommentPosition(database.read, id),
      ])
      if (entry === undefined || !issueRules.isComment(entry) || position?.reviewId !== review.id)
        throw notFound('review comment does not exist')
      return { entry, position }
    },
    async recheck({ entry }) {
      if ((await timelineQueries.find(database.read, entry.id)) === undefined) throw errors.commentDeleted()
    },
  })
