import type { SignedIn } from '../../../../core/access/viewer.ts'
import { forbidden, notFound } from '../../../../core/platform/errors.ts'
import { recordEntries } from '../../../issues/index.ts'
import { type PullChange, changePull } from '../../pulls/lifecycle/pull-change.ts'
import { listPriorDecisions } from '../records/decision.store.ts'
import { lockReview, type Review, updateReview } from '../records/review.store.ts'
import type { ReviewDeps } from '../review-deps.ts'
import type { ReviewInView } from '../review-in-view.ts'
import { appendReviewEvent } from '../reviews.events.ts'
import { isDecision } from '../reviews.policy.ts'

export interface Dismissal {
  /** The text in the timeline. */
  readonly message: string
  /** Earlier reviews of the same reviewer too. */
  readonly withPriors: boolean
}

/**
 * Dismisses a review, again if asked for (behaviour/pull-requests#reviews). Throws Forbidden as `requireDismissable`.
 */
export const dismissReview = (
  deps: ReviewDeps,
  actor: SignedIn,
  target: ReviewInView,
  { message, withPriors }: Dismissal,
): Promise<Review> =>
  changeDecision(deps, actor, target, async (change, found) => {
    if (withPriors)
      for (const id of await listPriorDecisions(change.tx, found))
        await updateReview(change.tx, id, { is_dismissed: 1, updated_at: change.at })
    return recordDismissal(change, found, message)
  })

/** Writes nothing to the timeline. Throws Forbidden as `requireDismissable`. */
export const undismissReview = (deps: ReviewDeps, actor: SignedIn, target: ReviewInView): Promise<Review> =>
  changeDecision(deps, actor, target, ({ tx, at }, { id }) => updateReview(tx, id, { is_dismissed: 0, updated_at: at }))

export async function recordDismissal(change: PullChange, { id }: Review, message: string): Promise<Review> {
  const { tx, issue, actor, at } = change
  const dismissed = await updateReview(tx, id, { is_dismissed: 1, updated_at: at })
  const origin = { issue, actorId: actor.account.id, at }
  await recordEntries(tx, origin, { kind: 'dismiss_review', body: message, payload: { reviewId: id } })
  await appendReviewEvent(change, 'review.dismissed', { review_id: id })
  return dismissed
}

async function changeDecision(
  deps: ReviewDeps,
  actor: SignedIn,
  { repo, pull, review: { id } }: ReviewInView,
  work: (change: PullChange, review: Review) => Promise<Review>,
): Promise<Review> {
  const changed = await changePull(deps, actor, { repo, pull }, async (change) => {
    const review = await lockReview(change.tx, id)
    if (review === undefined) return undefined
    requireDismissable(change, review)
    return work(change, review)
  })
  if (changed === undefined) throw notFound('review does not exist')
  return changed
}

/** Throws Forbidden for what is neither approval nor rejection, and for a closed pull request. */
function requireDismissable({ issue }: PullChange, { kind }: Review): void {
  if (!isDecision(kind))
    throw forbidden("not need to dismiss this review because it's type is not Approve or change request")
  if (issue.isClosed) throw forbidden("can't dismiss a review associated to a closed or merged PR")
}
