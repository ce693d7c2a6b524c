import { type SignedIn, type Viewer, viewerId } from '../../../../core/access/viewer.ts'
import { forbidden } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import type { RepoInView } from '../../../repositories/index.ts'
import {
  findCommentPosition,
  listCommentPositions,
  listPendingPositions,
  listPositionsByEntries,
  updateCommentPosition,
} from '../records/records.store.ts'
import type { ReviewDeps, ReviewCommentInView, ReviewInView } from '../review-in-view.ts'
import { addComment, replyTo, loadReviewCommentViews, type ReviewCommentView } from './add-comment.ts'
import type { NewComment } from './locate-comments.ts'
import { issueRules, timelineQueries, issueQueries } from '../../../issues/index.ts'
import { changePull } from '../../pulls/lifecycle/pull-change.ts'
import { retractTexts } from '../reviews/post-review.ts'
import { protectionQueries } from '../../../code/index.ts'
import { findPullByIssue } from '../../pulls/records/pull.store.ts'

export type ReviewComments = ReturnType<typeof createReviewComments>

/** Comments of reviews (behaviour/pull-requests#review-comments). */
export function createReviewComments(deps: ReviewDeps) {
  const { read } = deps.database
  async function viewOf(target: PullInView, entryId: number): Promise<ReviewCommentView> {
    const position = await findCommentPosition(read, entryId)
    const [view] = position ? await loadReviewCommentViews(read, target, [position]) : []
    if (view === undefined) throw errors.commentDeleted()
    return view
  }
  return {
    /** Lists the comments, oldest first. */
    list: async (target: ReviewInView): Promise<ReviewCommentView[]> =>
      loadReviewCommentViews(read, target, await listCommentPositions(read, target.review.id)),
    /** The review comments among these entries. */
    listByEntries: async (target: PullInView, entryIds: readonly number[]): Promise<ReviewCommentView[]> =>
      loadReviewCommentViews(read, target, await listPositionsByEntries(read, entryIds)),
    /** At most `limit` comments of the viewer's review that is not submitted, oldest first. */
    async listPending(viewer: Viewer, target: PullInView, limit: number): Promise<ReviewCommentView[]> {
      const reviewerId = viewerId(viewer)
      if (reviewerId === undefined) return []
      return loadReviewCommentViews(
        read,
        target,
        await listPendingPositions(read, target.pull.id, { reviewerId, limit }),
      )
    },
    view: (target: ReviewCommentInView): Promise<ReviewCommentView> => viewOf(target, target.entry.id),
    /** See `addComment`. */
    add: async (actor: SignedIn, target: ReviewInView, comment: NewComment): Promise<ReviewCommentView> =>
      viewOf(target, await addComment(deps, actor, target, comment)),
    /** See `replyTo`. */
    reply: async (actor: SignedIn, target: PullInView, entryId: number, body: string): Promise<ReviewCommentView> =>
      viewOf(target, await replyTo(deps, actor, target, { entryId, body })),
    /** See `deleteReviewComment`. */
    delete: (actor: SignedIn, target: ReviewCommentInView): Promise<void> => deleteReviewComment(deps, actor, target),
    /** See `resolveComment`. */
    resolve: (actor: SignedIn, target: RepoInView, comment: Parameters<typeof resolveComment>[3]): Promise<void> =>
      resolveComment(deps, actor, target, comment),
  }
}

/** Deletes a comment of a review with its files. Throws Forbidden for accounts other than its author and writers. */
async function deleteReviewComment(
  deps: ReviewDeps,
  actor: SignedIn,
  { repo, pull, access, issue, entry }: ReviewCommentInView,
): Promise<void> {
  if (entry.actorId !== actor.account.id && !issueRules.canWrite(access, issue)) throw forbidden('')
  const isDeleted = await changePull(deps, actor, { repo, pull }, async (change) => {
    const { tx } = change
    if ((await timelineQueries.find(tx, entry.id)) === undefined) return false
    await deps.attachments.deleteOf(tx, 'comment', entry.id)
    await timelineQueries.delete(tx, entry.id)
    await retractTexts(deps, change, [entry.id])
    return true
  })
  if (isDeleted !== true) throw errors.commentNotFound()
}

/**
 * Marks a comment of a review as resolved by the actor, or reverts this (behaviour/pull-requests#review-comments).
 * Throws NotFound, BadRequest when it is not a comment of a review, and Forbidden for accounts other than the author of
 * the pull request, writers and official reviewers.
 */
async function resolveComment(
  deps: ReviewDeps,
  actor: SignedIn,
  target: RepoInView,
  { id, isResolved }: { readonly id: number; readonly isResolved: boolean },
): Promise<void> {
  const { read } = deps.database
  const entry = await timelineQueries.find(read, id)
  if (
    entry === undefined ||
    entry.repoId !== target.repo.id ||
    !issueRules.isComment(entry) ||
    issueRules.isHiddenFrom(actor, entry)
  )
    throw errors.commentNotFound()
  const [issue, pull] = await Promise.all([
    issueQueries.findById(read, entry.issueId),
    findPullByIssue(read, entry.issueId),
  ])
  if (issue === undefined) throw errors.commentNotFound()
  if (pull === undefined) throw errors.notAPullComment()
  if ((await findCommentPosition(read, id)) === undefined) throw errors.notAReviewComment()
  const mayResolve =
    issue.authorId === actor.account.id ||
    issueRules.canWrite(target.access, issue) ||
    (await protectionQueries.isOfficialReviewer(read, target.repo, pull.baseBranch, actor.account))
  if (!mayResolve) throw forbidden('user should have permission to resolve comment')
  const resolverId = isResolved ? actor.account.id : 0
  await deps.database.transaction((tx) => updateCommentPosition(tx, id, { resolver_id: resolverId }))
}
