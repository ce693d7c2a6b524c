import type { SignedIn } from '../../../../core/access/viewer.ts'
import { forbidden, notFound } from '../../../../core/platform/errors.ts'
import { canWriteIssue, deleteEntry, findEntry } from '../../../issues/index.ts'
import { changePull } from '../../pulls/lifecycle/pull-change.ts'
import type { ReviewDeps } from '../review-deps.ts'
import type { ReviewCommentInView } from '../review-in-view.ts'
import { retractTexts } from '../reviews/review-texts.ts'

/** Deletes a comment of a review with its files. Throws Forbidden for others than its poster and writers. */
export async function deleteReviewComment(
  deps: ReviewDeps,
  actor: SignedIn,
  { repo, pull, access, issue, entry }: ReviewCommentInView,
): Promise<void> {
  if (entry.actorId !== actor.account.id && !canWriteIssue(access, issue)) throw forbidden('')
  const isDeleted = await changePull(deps, actor, { repo, pull }, async (change) => {
    const { tx } = change
    if ((await findEntry(tx, entry.id)) === undefined) return false
    await deps.attachments.deleteOf(tx, 'comment', entry.id)
    await deleteEntry(tx, entry.id)
    await retractTexts(deps, change, [entry.id])
    return true
  })
  if (isDeleted !== true) throw notFound('comment does not exist')
}
