import { type SignedIn, type Viewer, isSiteAdmin } from '../../../core/access/viewer.ts'
import { forbidden, invalid, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { ReviewId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { changePull, type PullChange } from '../pulls/lifecycle/pull-change.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import { listCommentPositions, restoreOfficial } from './records/records.store.ts'
import {
  listReviewPage,
  listReviewsByIds,
  lockReview,
  type Review,
  deleteReview as deleteRow,
} from './records/review.store.ts'
import type { ReviewDeps, ReviewInView } from './review-in-view.ts'
import {
  type Dismissal,
  dismissReview,
  undismissReview,
  judge,
  type NewReview,
  postReview,
  recordReview,
  requireOpenTo,
  retractTexts,
} from './reviews/post-review.ts'
import { canSeeReview, requireReview } from './reviews.policy.ts'
import { loadReviewViews, type ReviewView } from './reviews/review-views.ts'
import { timelineQueries } from '../../issues/index.ts'

export type Reviews = ReturnType<typeof createReviews>

/** Reviews of pull requests (behaviour/pull-requests#reviews). Callers check permissions to read and dismiss. */
export function createReviews(deps: ReviewDeps) {
  const { read } = deps.database
  const viewOf = async (target: PullInView, review: Review): Promise<ReviewView> =>
    (await loadReviewViews(read, target, [review]))[0]!
  return {
    /** The total includes reviews that the viewer may not see. */
    async list(viewer: Viewer, target: PullInView, paging: Paging): Promise<Page<ReviewView>> {
      const { items, total } = await listReviewPage(read, target, paging)
      const shown = items.filter((review) => canSeeReview(viewer, review))
      return { items: await loadReviewViews(read, target, shown), total }
    },
    /** Reviews with these ids, in no particular order; the caller knows them from entries that the viewer may see. */
    listByIds: (ids: readonly ReviewId[]): Promise<Review[]> => listReviewsByIds(read, ids),
    view: (target: ReviewInView): Promise<ReviewView> => viewOf(target, target.review),
    /** See `postReview`. */
    create: async (actor: SignedIn, target: PullInView, input: NewReview): Promise<ReviewView> =>
      viewOf(target, await postReview(deps, actor, target, input)),
    /**
     * Submits a pending review of the present head. Throws Invalid for a review that is not pending, or would stay
     * pending.
     */
    submit: async (
      actor: SignedIn,
      target: ReviewInView,
      input: Pick<NewReview, 'body' | 'verdict'>,
    ): Promise<ReviewView> => viewOf(target, await submitReview(deps, actor, target, input)),
    /** See `deleteReview`. */
    delete: (actor: SignedIn, target: ReviewInView): Promise<void> => deleteReview(deps, actor, target, target.review),
    /** See `dismissReview`. */
    dismiss: async (actor: SignedIn, target: ReviewInView, dismissal: Dismissal): Promise<ReviewView> =>
      viewOf(target, await dismissReview(deps, actor, target, dismissal)),
    /** See `undismissReview`. */
    undismiss: async (actor: SignedIn, target: ReviewInView): Promise<ReviewView> =>
      viewOf(target, await undismissReview(deps, actor, target)),
  }
}

async function submitReview(
  deps: ReviewDeps,
  actor: SignedIn,
  target: ReviewInView,
  { verdict, body }: Pick<NewReview, 'body' | 'verdict'>,
): Promise<Review> {
  const { repo, pull, issue, review } = target
  if (review.reviewerId !== actor.account.id) throw notFound('review is of another account')
  const hasComments = (await listCommentPositions(deps.database.read, review.id)).length > 0
  const facts = { verdict, body: body.trim(), reviewerId: actor.account.id, authorId: issue.authorId }
  if (review.kind !== 'pending') throw errors.reviewNotPending()
  requireReview({ ...facts, hasComments, isClosed: issue.isClosed })
  if (verdict === 'pending') throw invalid('review stay pending')
  const commitOid = pull.headOid
  const judged = await judge(deps, actor, target, { verdict, commitOid })
  const submitted = await changePull(deps, actor, { repo, pull }, async (change) => {
    await requireOpenTo(change, actor, target, verdict)
    const pending = await lockReview(change.tx, review.id)
    if (pending === undefined) return undefined
    if (pending.kind !== 'pending') throw errors.reviewNotPending()
    const prepared = { verdict, body: facts.body, commitOid, comments: [], ...judged }
    return recordReview(deps, change, { pending, prepared })
  })
  if (submitted === undefined) throw errors.reviewNotFound()
  return submitted
}

/**
 * Deletes a review with its comments and its timeline entries; the reviewer's earlier review counts again
 * (behaviour/pull-requests#reviews). Throws Forbidden for accounts other than the reviewer and site administrators,
 * Invalid for a request.
 */
async function deleteReview(
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
    const commentIds = (await listCommentPositions(change.tx, id)).map(({ entryId }) => entryId)
    for (const entryId of commentIds) {
      await deps.attachments.deleteOf(change.tx, 'comment', entryId)
      await timelineQueries.delete(change.tx, entryId)
    }
    await retractTexts(deps, change, [...commentIds, ...(await deleteEntriesOf(change, review))])
    await deleteRow(change.tx, id)
    if (review.isOfficial) await restoreOfficial(change.tx, review)
    return true
  })
  if (isDeleted !== true) throw errors.reviewNotFound()
}

/** Returns the ids of the entries. */
async function deleteEntriesOf({ tx, issue }: PullChange, { id }: Review): Promise<number[]> {
  const deleted: number[] = []
  for (const kind of ['pending_review', 'review', 'dismiss_review'] as const)
    for (const entry of await timelineQueries.listOfKind(tx, issue.id, kind))
      if ('reviewId' in entry.payload && entry.payload.reviewId === id) {
        await timelineQueries.delete(tx, entry.id)
        deleted.push(entry.id)
      }
  return deleted
}
