import { isSiteAdmin, type SignedIn } from '../../../../core/access/viewer.ts'
import { forbidden, invalid, notFound } from '../../../../core/platform/errors.ts'
import { deleteEntry, listEntriesOfKind } from '../../../issues/index.ts'
import { type PullChange, changePull } from '../../pulls/lifecycle/pull-change.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import { restoreOfficial } from '../records/decision.store.ts'
import { listCommentPlaces } from '../records/review-comment.store.ts'
import { deleteReview as deleteRow, lockReview, type Review } from '../records/review.store.ts'
import type { ReviewDeps } from '../review-deps.ts'
import { retractTexts } from './review-texts.ts'

/**
 * Deletes a review with its comments and its entries of the timeline; what the reviewer said before counts again
 * (behaviour/pull-requests#reviews). Throws Forbidden for others than the reviewer and site administrators, Invalid for
 * a request.
 */
export async function deleteReview(
  deps: ReviewDeps,
  actor: SignedIn,
  { repo, pull }: PullInView,
  { id, kind, reviewerId }: Review,
): Promise<void> {
  if (reviewerId !== actor.account.id && !isSiteAdmin(actor)) throw forbidden('')
  if (kind === 'request') throw invalid('a request for a review is not deleted as a review')
  const isDeleted = await changePull(deps, actor, { repo, pull }, async (change) => {
    const review = await lockReview(change.tx, id)
    if (review === undefined) return false
    const commentIds = (await listCommentPlaces(change.tx, id)).map(({ entryId }) => entryId)
    for (const entryId of commentIds) {
      await deps.attachments.deleteOf(change.tx, 'comment', entryId)
      await deleteEntry(change.tx, entryId)
    }
    await retractTexts(deps, change, [...commentIds, ...(await deleteEntriesOf(change, review))])
    await deleteRow(change.tx, id)
    if (review.isOfficial) await restoreOfficial(change.tx, review)
    return true
  })
  if (isDeleted !== true) throw notFound('review does not exist')
}

/** Returns their ids. */
async function deleteEntriesOf({ tx, issue }: PullChange, { id }: Review): Promise<number[]> {
  const deleted: number[] = []
  for (const kind of ['pending_review', 'review', 'dismiss_review'] as const)
    for (const entry of await listEntriesOfKind(tx, issue.id, kind))
      if ('reviewId' in entry.payload && entry.payload.reviewId === id) {
        await deleteEntry(tx, entry.id)
        deleted.push(entry.id)
      }
  return deleted
}
