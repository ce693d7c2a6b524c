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

/** Comments of reviews (behaviour/pull-requests#review-comments). */
export interface ReviewComments {
  /** The oldest first. */
  list(target: ReviewInView): Promise<ReviewCommentView[]>
  view(target: ReviewCommentInView): Promise<ReviewCommentView>
  /** See `addComment`. */
  add(actor: SignedIn, target: ReviewInView, comment: NewComment): Promise<ReviewCommentView>
  /** See `replyTo`. */
  reply(actor: SignedIn, target: PullInView, entryId: number, body: string): Promise<ReviewCommentView>
  /** See `deleteReviewComment`. */
  delete(actor: SignedIn, target: ReviewCommentInView): Promise<void>
  /** See `resolveComment`. */
  resolve(actor: SignedIn, target: RepoInView, comment: Parameters<typeof resolveComment>[3]): Promise<void>
}

export function createReviewComments(deps: ReviewDeps): ReviewComments {
  const { read } = deps.database
  async function viewOf(target: PullInView, entryId: number): Promise<ReviewCommentView> {
    const place = await findCommentPlace(read, entryId)
    const [view] = place ? await loadReviewCommentViews(read, target, [place]) : []
    if (view === undefined) throw notFound('the comment was deleted meanwhile')
    return view
  }
  return {
    list: async (target) => loadReviewCommentViews(read, target, await listCommentPlaces(read, target.review.id)),
    view: (target) => viewOf(target, target.entry.id),
    add: async (actor, target, comment) => viewOf(target, await addComment(deps, actor, target, comment)),
    reply: async (actor, target, entryId, body) =>
      viewOf(target, await replyTo(deps, actor, target, { entryId, body })),
    delete: (actor, target) => deleteReviewComment(deps, actor, target),
    resolve: (actor, target, comment) => resolveComment(deps, actor, target, comment),
  }
}
