import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { deleteRequestsOfAccount, deleteRequestsOfTeam, deleteTeamRequestsIn } from './requests/request.store.ts'
import { retargetReviews } from './records/records.store.ts'
import { setTextOfReview } from './records/review.store.ts'

/**
 * Withdraws requests of deleted accounts and teams: no client could name them, and an official one blocks the merge.
 */
export const requestProjections: Projections = {
  async 'repo.transferred'(tx, { payload }) {
    await deleteTeamRequestsIn(tx, asId(payload.repo_id))
  },
  async 'team.deleted'(tx, { payload }) {
    await deleteRequestsOfTeam(tx, asId(payload.team_id))
  },
  async 'user.deleting'(tx, { payload }) {
    await deleteRequestsOfAccount(tx, asId(payload.user_id))
  },
}

/** Approvals count for the base that was approved (behaviour/pull-requests#reviews). */
export const formerBaseProjections: Projections = {
  'pull.retargeted': (tx, { payload }) =>
    retargetReviews(tx, asId(payload.pull_id), { from: payload.old_base, to: payload.new_base }),
}

/** A review shows the text of its timeline entry, which is edited and deleted like a comment. */
export const reviewTextProjections: Projections = {
  async 'comment.edited'(tx, { entities: { comment } }) {
    if (comment.kind === 'review')
      await setTextOfReview(tx, { reviewerId: comment.actorId, entryId: comment.id }, comment.body)
  },
  async 'comment.deleted'(tx, { payload }) {
    if (!payload.is_pull) return
    await setTextOfReview(tx, { reviewerId: asId(payload.poster_id), entryId: payload.comment_id }, '')
  },
}
