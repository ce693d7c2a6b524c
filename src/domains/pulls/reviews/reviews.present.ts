import { wireTime } from '../../../core/platform/clock.ts'
import { presentImportedAuthor } from '../../../core/http/openapi/imported-author.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import type { Site } from '../../../core/platform/site.ts'
import { issuePresenters } from '../../issues/index.ts'
import { presentTeam, userPresenters } from '../../accounts/index.ts'
import type { CommentPosition } from './records/records.store.ts'
import type { ReviewCommentView } from './comments/add-comment.ts'
import type { PullReviewComment } from './reviews.model.ts'
import type { ReviewKind } from './records/review.store.ts'
import type { PullReview } from './reviews/review.model.ts'
import type { ReviewView } from './reviews/review-views.ts'

/** A comment of a review (behaviour/pull-requests#review-comments). */
export function presentReviewComment(view: ReviewCommentView, viewer: Viewer, site: Site): PullReviewComment {
  const { entry, position, issue, repo, author, resolver } = view
  const url = issuePresenters.urls(issue, repo, site).html
  return {
    id: entry.id,
    body: entry.body,
    user: author ? userPresenters.present(author, viewer, site) : userPresenters.presentGhost(site),
    ...presentImportedAuthor(entry.originalAuthor),
    resolver: resolver ? userPresenters.present(resolver, viewer, site) : null,
    pull_request_review_id: position.reviewId,
    created_at: wireTime(entry.createdAt),
    updated_at: wireTime(entry.updatedAt),
    path: position.path,
    commit_id: position.lineCommitOid,
    original_commit_id: '',
    diff_hunk: position.diffHunk,
    position: position.side === 'new' ? position.line : 0,
    original_position: position.side === 'old' ? position.line : 0,
    ...presentStart(position),
    extra_lines_count: position.line - position.startLine,
    // COMPAT: a pending comment appears on the page of changed files only (test/pulls/reviews/reviews.test.ts).
    html_url: `${url}${entry.kind === 'pending_code' ? '/files' : ''}#issuecomment-${entry.id}`,
    pull_request_url: url,
  }
}

/** COMPAT: empty for a single line, so that API clients get no further member (test/pulls/reviews/ranges.test.ts). */
function presentStart({ side, startLine, line }: CommentPosition) {
  if (startLine === line) return {}
  return side === 'new' ? { start_position: startLine } : { original_start_position: startLine }
}

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
  const url = issuePresenters.urls(issue, repo, site).html
  return {
    id: review.id,
    user: presentReviewer(view, viewer, site),
    ...presentImportedAuthor(review.originalAuthor),
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
  return reviewer ? userPresenters.present(reviewer, viewer, site) : userPresenters.presentGhost(site)
}

/** COMPAT: a team within a review has no permission of its own (test/pulls/reviews/reviews.test.ts). */
const presentReviewingTeam = ({ team }: ReviewView, viewer: Viewer, site: Site): PullReview['team'] =>
  team ? { ...presentTeam(team, { org: undefined, viewer, site }), permission: 'none' } : null
