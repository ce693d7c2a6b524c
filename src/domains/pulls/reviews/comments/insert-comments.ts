import { flag } from '../../../../core/db/flag.ts'
import { insertEntries } from '../../../issues/index.ts'
import type { PullChange } from '../../pulls/lifecycle/pull-change.ts'
import { insertCommentPlaces } from '../records/review-comment.store.ts'
import type { Review } from '../records/review.store.ts'
import type { LocatedComment } from './locate-comments.ts'

/**
 * Adds comments to a review; those of a pending one are its reviewer's alone. Returns their ids in the order given.
 */
export async function insertComments(
  { tx, issue, actor, at }: PullChange,
  review: Review,
  comments: readonly (LocatedComment & { readonly replyTo?: number })[],
): Promise<number[]> {
  const kind = review.kind === 'pending' ? 'pending_code' : 'code'
  const entries = await insertEntries(
    tx,
    { issue, actorId: actor.account.id, at },
    comments.map(({ body }) => ({ kind, body, payload: { reviewId: review.id } }) as const),
  )
  await insertCommentPlaces(
    tx,
    comments.map(({ location, replyTo = 0 }, index) => ({
      entry_id: entries[index]!.id,
      review_id: review.id,
      pull_id: review.pullId,
      path: location.path,
      side: location.side,
      line: location.line,
      start_line: location.startLine,
      commit_oid: location.commitOid,
      base_oid: location.baseOid,
      line_commit_oid: location.lineCommitOid,
      diff_hunk: location.diffHunk,
      is_outdated: flag(location.isOutdated),
      reply_to: replyTo,
    })),
  )
  return entries.map((entry) => entry.id)
}
