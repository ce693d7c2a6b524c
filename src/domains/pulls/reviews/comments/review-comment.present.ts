import { wireTime } from '../../../../core/platform/clock.ts'
import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { issueUrls } from '../../../issues/index.ts'
import { presentGhost, presentUser } from '../../../accounts/index.ts'
import type { CommentPlace } from '../records/review-comment.store.ts'
import type { ReviewCommentView } from './comment-views.ts'
import type { PullReviewComment } from './review-comment.model.ts'

/** A comment of a review (behaviour/pull-requests#review-comments). */
export function presentReviewComment(view: ReviewCommentView, viewer: Viewer, site: Site): PullReviewComment {
  const { entry, place, issue, repo, poster, resolver } = view
  const url = issueUrls(issue, repo, site).html
  return {
    id: entry.id,
    body: entry.body,
    user: poster ? presentUser(poster, viewer, site) : presentGhost(site),
    resolver: resolver ? presentUser(resolver, viewer, site) : null,
    pull_request_review_id: place.reviewId,
    created_at: wireTime(entry.createdAt),
    updated_at: wireTime(entry.updatedAt),
    path: place.path,
    commit_id: place.lineCommitOid,
    original_commit_id: '',
    diff_hunk: place.diffHunk,
    position: place.side === 'new' ? place.line : 0,
    original_position: place.side === 'old' ? place.line : 0,
    ...presentStart(place),
    // COMPAT: a pending one is only on the page of changed files (test/pulls/reviews/reviews.test.ts).
    html_url: `${url}${entry.kind === 'pending_code' ? '/files' : ''}#issuecomment-${entry.id}`,
    pull_request_url: url,
  }
}

/**
 * COMPAT: nothing for a single line, so that clients of the contract get no further member
 * (test/pulls/reviews/ranges.test.ts).
 */
function presentStart({ side, startLine, line }: CommentPlace) {
  if (startLine === line) return {}
  return side === 'new' ? { start_position: startLine } : { original_start_position: startLine }
}
