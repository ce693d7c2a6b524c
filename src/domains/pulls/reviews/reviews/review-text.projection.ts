import type { Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { findEntry } from '../../../issues/index.ts'
import { setTextOfReview } from '../records/review.store.ts'

/** A review shows the text of its entry of the timeline, which is edited and deleted as comments are. */
export const reviewTextProjections: Projections = {
  async 'comment.edited'(tx, { payload }) {
    if (!payload.is_pull) return
    const entry = await findEntry(tx, payload.comment_id)
    if (entry?.kind === 'review')
      await setTextOfReview(tx, { reviewerId: entry.actorId, entryId: entry.id }, entry.body)
  },
  async 'comment.deleted'(tx, { payload }) {
    if (!payload.is_pull) return
    await setTextOfReview(tx, { reviewerId: asId(payload.poster_id), entryId: payload.comment_id }, '')
  },
}
