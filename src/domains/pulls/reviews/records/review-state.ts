import type { Db } from '../../../../core/db/database.ts'
import type { PullId } from '../../../../core/platform/crypto/ids.ts'
import type { ReviewState, StateOptions } from '../../pulls/review-port.ts'
import { listUsersByIds } from '../../../accounts/index.ts'
import { selectCounting } from '../reviews/counting-reviews.ts'
import { isStale } from '../reviews/diff-spans.ts'
import { listReviewsOf, type Review } from './review.store.ts'

/** What the reviews of a pull request are for the protection of its base, with the access that reviewers have now. */
export async function loadReviewState(
  db: Db,
  pullId: PullId,
  { ignoresStale, current }: StateOptions,
): Promise<ReviewState> {
  const reviews = (await listReviewsOf(db, [pullId])).filter((review) => !review.isDismissed)
  const official = await selectCounting(
    db,
    reviews.filter((review) => review.isOfficial),
  )
  const approved = reviews.filter((review) => review.kind === 'approved')
  const counted: Review[] = []
  for (const review of official.filter(({ kind }) => kind === 'approved')) {
    if (review.formerBase !== '' || (ignoresStale && review.isStale)) continue
    const { isStale: isMarked, commitOid } = review
    if (isMarked || current === undefined || !(await isStale(current.git, current.pull, commitOid)))
      counted.push(review)
  }
  const approverIds = [...new Set(approved.flatMap((review) => review.reviewerId ?? []))]
  return {
    approvals: new Set(counted.map((review) => review.reviewerId)).size,
    isRejected: official.some((review) => review.kind === 'rejected'),
    hasOpenRequest: official.some((review) => review.kind === 'request'),
    approvers: await listUsersByIds(db, approverIds),
  }
}
