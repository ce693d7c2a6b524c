import { isSiteAdmin, viewerId, type Viewer } from '../../../../core/access/viewer.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import type { Review, ReviewKind } from '../records/review.store.ts'

/** What a reviewer says; not a request. */
export type Verdict = Exclude<ReviewKind, 'request'>

const VERDICTS: Readonly<Record<string, Verdict>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'rejected',
  COMMENT: 'comment',
}

/** The contract's `event`: everything but the three verdicts leaves the review pending. */
export const readVerdict = (event = ''): Verdict => (Object.hasOwn(VERDICTS, event) ? VERDICTS[event]! : 'pending')

/** Pending reviews are shown to their author and to site administrators. */
export const canSeeReview = (viewer: Viewer, { kind, reviewerId }: Review): boolean =>
  kind !== 'pending' || isSiteAdmin(viewer) || (reviewerId !== undefined && viewerId(viewer) === reviewerId)

/** Approvals and rejections are what protection counts, and what can be dismissed. */
export const isDecision = (kind: ReviewKind): boolean => kind === 'approved' || kind === 'rejected'

interface Facts {
  readonly verdict: Verdict
  /** Trimmed. */
  readonly body: string
  readonly hasComments: boolean
  readonly reviewerId: UserId
  readonly posterId: UserId
  readonly isClosed: boolean
}

/** Throws Invalid with the contract's text for a review that may not be (behaviour/pull-requests#reviews). */
export function requireReview({ verdict, body, hasComments, reviewerId, posterId, isClosed }: Facts): void {
  if (reviewerId === posterId && verdict === 'approved') throw invalid('approve your own pull is not allowed')
  if (reviewerId === posterId && verdict === 'rejected') throw invalid('reject your own pull is not allowed')
  if (body === '') {
    if (verdict === 'rejected') throw invalid('review event REQUEST_CHANGES requires a body')
    if (verdict === 'pending') throw invalid('review event PENDING requires a body')
    if (verdict === 'comment' && !hasComments) throw invalid('review event COMMENT requires a body or a comment')
  }
  if (isClosed && isDecision(verdict)) throw invalid("can't submit review for a closed or merged PR")
}
