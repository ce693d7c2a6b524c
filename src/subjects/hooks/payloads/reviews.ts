import { ANONYMOUS } from '../../../access/viewer.ts'
import { asId } from '../../../platform/crypto/ids.ts'
import { findReview } from '../../reviews/index.ts'
import { findUserById, presentUser } from '../../users/index.ts'
import type { HookMessage, MessageBuilders } from './payload.ts'
import type { PayloadUser } from './payload-types.ts'
import { buildPullMessage, type PullBuilderDeps, type PullEvent } from './pulls.ts'

/** The type of event of a submitted review, by its kind. */
const TYPES = {
  approved: 'pull_request_review_approved',
  rejected: 'pull_request_review_rejected',
  comment: 'pull_request_review_comment',
} as const

/** Reviews, and requests for them (behaviour/orgs-webhooks-actions#payloads). */
export function reviewBuilders(deps: PullBuilderDeps): MessageBuilders {
  const { database, site } = deps
  const present = async (userId: number): Promise<PayloadUser | null> => {
    const user = userId === 0 ? undefined : await findUserById(database.read, asId(userId))
    return user ? presentUser(user, ANONYMOUS, site) : null
  }
  const buildRequest = async (event: PullEvent, userId: number, action: string): Promise<HookMessage[]> =>
    buildPullMessage(deps, event, {
      eventType: 'pull_request_review_request',
      action,
      requestedReviewer: await present(userId),
    })
  return {
    'review.requested': (event) => buildRequest(event, event.payload.user_id, 'review_requested'),
    // NOTE: that the request of a team is withdrawn is not sent.
    'review.request_deleted': async (event) =>
      event.payload.team_id === 0 ? buildRequest(event, event.payload.user_id, 'review_request_removed') : [],
    async 'review.submitted'(event) {
      const review = await findReview(database.read, asId(event.payload.review_id))
      const eventType = TYPES[event.payload.kind as keyof typeof TYPES] as
        (typeof TYPES)[keyof typeof TYPES] | undefined
      if (review === undefined || eventType === undefined) return []
      return buildPullMessage(deps, event, {
        eventType,
        action: 'reviewed',
        requestedReviewer: await present(review.reviewerId ?? 0),
        review: { type: eventType, content: review.body },
      })
    },
  }
}
