import type { Viewer } from '../../../../core/access/viewer.ts'
import { wireTime } from '../../../../core/platform/clock.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { issueUrls } from '../../../issues/index.ts'
import { presentGhost, presentTeam, presentUser } from '../../../accounts/index.ts'
import type { ReviewKind } from '../records/review.store.ts'
import type { PullReview } from './review.model.ts'
import type { ReviewView } from './review-views.ts'

const STATES: Readonly<Record<ReviewKind, string>> = {
  approved: 'APPROVED',
  comment: 'COMMENT',
  pending: 'PENDING',
  rejected: 'REQUEST_CHANGES',
  request: 'REQUEST_REVIEW',
}

/** A review, or a request for one (behaviour/pull-requests#reviews). */
export function presentReview(view: ReviewView, viewer: Viewer, site: Site): PullReview {
  const { review, issue, repo, commentsCount } = view
  const url = issueUrls(issue, repo, site).html
  return {
    id: review.id,
    user: presentReviewer(view, viewer, site),
    team: presentReviewingTeam(view, viewer, site),
    state: STATES[review.kind],
    body: review.body,
    commit_id: review.commitOid,
    stale: review.isStale || review.formerBase !== '',
    official: review.isOfficial,
    dismissed: review.isDismissed,
    comments_count: commentsCount,
    submitted_at: wireTime(review.submittedAt || review.createdAt),
    updated_at: wireTime(review.updatedAt),
    html_url: review.kind === 'request' || review.entryId === undefined ? '' : `${url}#issuecomment-${review.entryId}`,
    pull_request_url: url,
  }
}

function presentReviewer({ review, reviewer }: ReviewView, viewer: Viewer, site: Site): PullReview['user'] {
  if (review.teamId !== undefined) return null
  return reviewer ? presentUser(reviewer, viewer, site) : presentGhost(site)
}

/** COMPAT: within a review a team has no permission of its own (test/pulls/reviews/reviews.test.ts). */
const presentReviewingTeam = ({ team }: ReviewView, viewer: Viewer, site: Site): PullReview['team'] =>
  team ? { ...presentTeam(team, { org: undefined, viewer, site }), permission: 'none' } : null
