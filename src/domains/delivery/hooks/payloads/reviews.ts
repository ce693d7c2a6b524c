import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { type User, findTeamById, findUserById, listTeamMembers, presentUser } from '../../../accounts/index.ts'
import type { Paging } from '../../../../core/platform/paging.ts'
import { findReview } from '../../../pulls/index.ts'
import type { HookMessage, MessageBuilders } from './payload.ts'
import type { PayloadUser } from './payload-types.ts'
import { buildPullMessage, type PullBuilderDeps, type PullEvent } from './pulls.ts'

/** The type of event of a submitted review, by its kind. */
const TYPES = {
  approved: 'pull_request_review_approved',
  rejected: 'pull_request_review_rejected',
  comment: 'pull_request_review_comment',
} as const

/** Members of a team whom the request of the team is sent for. */
const ASKED: Paging = { page: 1, limit: 100, offset: 0 }

/** Reviews, and requests for them (behaviour/orgs-webhooks-actions#payloads). */
export function reviewBuilders(deps: PullBuilderDeps): MessageBuilders {
  const { database, site } = deps
  const present = (user: User): PayloadUser => presentUser(user, ANONYMOUS, site)
  const find = async (userId: number): Promise<PayloadUser | null> => {
    const user = userId === 0 ? undefined : await findUserById(database.read, asId(userId))
    return user ? present(user) : null
  }
  const buildRequest = (event: PullEvent, action: string, requestedReviewer: PayloadUser | null) =>
    buildPullMessage(deps, event, { eventType: 'pull_request_review_request', action, requestedReviewer })
  return {
    async 'review.requested'(event) {
      const { user_id: userId, team_id: teamId } = event.payload
      if (teamId === 0) return buildRequest(event, 'review_requested', await find(userId))
      if ((await findTeamById(database.read, asId(teamId))) === undefined)
        return buildRequest(event, 'review_requested', null)
      const members = (await listTeamMembers(database.read, asId(teamId), ASKED)).items
      return (await buildRequest(event, 'review_requested', null)).flatMap((message) =>
        members.map((member) => askMember(message, present(member))),
      )
    },
    // NOTE: that the request of a team is withdrawn is not sent.
    'review.request_deleted': async (event) =>
      event.payload.team_id === 0
        ? buildRequest(event, 'review_request_removed', await find(event.payload.user_id))
        : [],
    async 'review.submitted'(event) {
      const { review_id: reviewId, reviewer_id: userId, body } = event.payload
      const there = await findReview(database.read, asId(reviewId))
      const review = there ?? (body === undefined ? undefined : { reviewerId: userId, body })
      const eventType = TYPES[event.payload.kind as keyof typeof TYPES] as
        (typeof TYPES)[keyof typeof TYPES] | undefined
      if (review === undefined || eventType === undefined) return []
      return buildPullMessage(deps, event, {
        eventType,
        action: 'reviewed',
        requestedReviewer: await find(review.reviewerId ?? 0),
        review: { type: eventType, content: review.body },
      })
    },
  }
}

const askMember = (message: HookMessage, member: PayloadUser): HookMessage => ({
  ...message,
  payload: { ...message.payload, requested_reviewer: member },
})
