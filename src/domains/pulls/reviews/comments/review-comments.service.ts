import type { SignedIn } from '../../../../core/access/viewer.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import type { RepoInView } from '../../../repositories/index.ts'
import { findCommentPlace, listCommentPlaces } from '../records/review-comment.store.ts'
import type { ReviewDeps } from '../review-deps.ts'
import type { ReviewCommentInView, ReviewInView } from '../review-in-view.ts'
import { addComment, replyTo } from './add-comment.ts'
import { loadReviewCommentViews, type ReviewCommentView } from './comment-views.ts'
import { deleteReviewComment } from './delete-comment.ts'
import type { NewComment } from './locate-comments.ts'
import { resolveComment } from './resolve-comment.ts'

export type ReviewComments = ReturnType<typeof createReviewComments>

/** Comments of reviews (behaviour/pull-requests#review-comments). */
export function createReviewComments(deps: ReviewDeps) {
  const { read } = deps.database
  async function viewOf(target: PullInView, entryId: number): Promise<ReviewCommentView> {
    const place = await findCommentPlace(read, entryId)
    const [view] = place ? await loadReviewCommentViews(read, target, [place]) : []
    if (view === undefined) throw notFound('the comment was deleted meanwhile')
    return view
  }
  return {
    /** The oldest first. */
    list: async (target: ReviewInView): Promise<ReviewCommentView[]> =>
      loadReviewCommentViews(read, target, await listCommentPlaces(read, target.review.id)),
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
