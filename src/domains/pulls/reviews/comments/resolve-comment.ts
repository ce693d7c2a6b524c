import type { SignedIn } from '../../../../core/access/viewer.ts'
import { badRequest, forbidden, notFound } from '../../../../core/platform/errors.ts'
import { canWriteIssue, findEntry, findIssueById, isComment, isHiddenFrom } from '../../../issues/index.ts'
import { isOfficialReviewer } from '../../../code/index.ts'
import { findPullByIssue } from '../../pulls/records/pull.store.ts'
import type { RepoInView } from '../../../repositories/index.ts'
import { findCommentPlace, updateCommentPlace } from '../records/review-comment.store.ts'
import type { ReviewDeps } from '../review-deps.ts'

/**
 * Marks a comment of a review as resolved by the actor, or takes the mark back
 * (behaviour/pull-requests#review-comments). Throws NotFound, BadRequest for what is no comment of a review, and
 * Forbidden for others than the poster of the pull request, writers and official reviewers.
 */
export async function resolveComment(
  deps: ReviewDeps,
  actor: SignedIn,
  target: RepoInView,
  { id, isResolved }: { readonly id: number; readonly isResolved: boolean },
): Promise<void> {
  const { read } = deps.database
  const entry = await findEntry(read, id)
  if (entry === undefined || entry.repoId !== target.repo.id || !isComment(entry) || isHiddenFrom(actor, entry))
    throw notFound('comment does not exist')
  const [issue, pull] = await Promise.all([findIssueById(read, entry.issueId), findPullByIssue(read, entry.issueId)])
  if (issue === undefined) throw notFound('comment does not exist')
  if (pull === undefined) throw badRequest('comment does not belong to a pull request')
  if ((await findCommentPlace(read, id)) === undefined) throw badRequest('comment is not a review comment')
  const mayResolve =
    issue.posterId === actor.account.id ||
    canWriteIssue(target.access, issue) ||
    (await isOfficialReviewer(read, target.repo, pull.baseBranch, actor.account))
  if (!mayResolve) throw forbidden('user should have permission to resolve comment')
  const resolverId = isResolved ? actor.account.id : 0
  await deps.database.transaction((tx) => updateCommentPlace(tx, id, { resolver_id: resolverId }))
}
