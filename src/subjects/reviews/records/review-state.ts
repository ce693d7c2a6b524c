import type { Db } from '../../../db/database.ts'
import type { PullId } from '../../../platform/crypto/ids.ts'
import type { ReviewState } from '../../pulls/index.ts'
import { listUsersByIds } from '../../users/index.ts'
import { selectCounting } from '../reviews/counting-reviews.ts'
import { listReviewsOf } from './review.store.ts'

/** What the reviews of a pull request are for the protection of its base, with the access that reviewers have now. */
export async function loadReviewState(
  db: Db,
  pullId: PullId,
  { ignoresStale }: { readonly ignoresStale: boolean },
): Promise<ReviewState> {
  const reviews = (await listReviewsOf(db, [pullId])).filter((review) => !review.isDismissed)
  const official = await selectCounting(
    db,
    reviews.filter((review) => review.isOfficial),
  )
  const approved = reviews.filter((review) => review.kind === 'approved')
  const counted = official.filter((review) => review.kind === 'approved' && !(ignoresStale && review.isStale))
  const approverIds = [...new Set(approved.flatMap((review) => review.reviewerId ?? []))]
  return {
    approvals: new Set(counted.map((review) => review.reviewerId)).size,
    isRejected: official.some((review) => review.kind === 'rejected'),
    hasOpenRequest: official.some((review) => review.kind === 'request'),
    approvers: await listUsersByIds(db, approverIds),
  }
}
