import { flag } from '../../../../core/db/flag.ts'
import { forbidden } from '../../../../core/platform/errors.ts'
import { recordEntries } from '../../../issues/index.ts'
import type { PullChange } from '../../pulls/lifecycle/pull-change.ts'
import { restoreOfficial } from '../records/decision.store.ts'
import { deleteReview, insertReview, type Review } from '../records/review.store.ts'
import { appendReviewEvent } from '../reviews.events.ts'
import type { Reviewer } from './find-reviewers.ts'
import type { PlannedRequest } from './plan-requests.ts'
import { type Asked, clearOfficial, findRequest, hasReviewed } from './request.store.ts'

const askedOf = ({ user, team }: Reviewer): Asked => ({ userId: user?.id ?? 0, teamId: team?.id ?? 0 })

/**
 * Asks for a review; undefined if it is asked for already. A person who has reviewed is asked again: the reviews stay,
 * and those of an official reviewer count no more. Throws Forbidden for such a person once the pull request is closed.
 */
export async function recordRequest(
  change: PullChange,
  { reviewer, isOfficial }: PlannedRequest,
): Promise<Review | undefined> {
  const { tx, issue, pull, at } = change
  const asked = askedOf(reviewer)
  if ((await findRequest(tx, pull.id, asked)) !== undefined) return undefined
  if (asked.userId !== 0) {
    if (issue.isClosed && (await hasReviewed(tx, pull.id, asked.userId)))
      throw forbidden('a review of a closed or merged pull request cannot be requested again')
    if (isOfficial) await clearOfficial(tx, pull.id, asked.userId)
  }
  const review = await insertReview(tx, {
    pull_id: pull.id,
    issue_id: issue.id,
    kind: 'request',
    reviewer_id: asked.userId,
    team_id: asked.teamId,
    is_official: flag(isOfficial),
    created_at: at,
    updated_at: at,
  })
  await addEntry(change, asked, { reviewId: review.id, isRemoved: false })
  await appendReviewEvent(change, 'review.requested', payloadOf(asked, review.id))
  return review
}

/**
 * Withdraws a request, if there is one: what the person said before counts again. The timeline keeps both.
 */
export async function recordRequestDeletion(change: PullChange, reviewer: Reviewer): Promise<void> {
  const { tx, pull } = change
  const asked = askedOf(reviewer)
  const request = await findRequest(tx, pull.id, asked)
  if (request === undefined) return
  await deleteReview(tx, request.id)
  if (request.isOfficial && asked.userId !== 0)
    await restoreOfficial(tx, { id: request.id, pullId: pull.id, reviewerId: asked.userId })
  await addEntry(change, asked, { reviewId: request.id, isRemoved: true })
  await appendReviewEvent(change, 'review.request_deleted', payloadOf(asked, request.id))
}

const payloadOf = ({ userId, teamId }: Asked, reviewId: number) => ({
  review_id: reviewId,
  user_id: userId,
  team_id: teamId,
})

function addEntry(
  { tx, issue, actor, at }: PullChange,
  { userId, teamId }: Asked,
  facts: { readonly reviewId: number; readonly isRemoved: boolean },
): Promise<void> {
  const payload = { ...facts, isTeam: teamId !== 0 }
  const entry = { kind: 'review_request' as const, targetId: userId || teamId, payload }
  return recordEntries(tx, { issue, actorId: actor.account.id, at }, entry)
}
