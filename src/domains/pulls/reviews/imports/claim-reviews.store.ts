import type { Tx } from '../../../../core/db/database.ts'
import { CLAIM_STEP, CLAIMED, type ClaimedAuthor } from '../../../../core/db/original-author.ts'

/** Assigns some reviews of an author at the source to an account; returns their number. */
export async function claimReviews(tx: Tx, { repoId, authorId, userId }: ClaimedAuthor): Promise<bigint> {
  const some = tx
    .selectFrom('review')
    .innerJoin('issue', 'issue.id', 'review.issue_id')
    .select('review.id')
    .where('issue.repo_id', '=', repoId)
    .where('review.original_author_id', '=', authorId)
    .limit(CLAIM_STEP)
  const { numUpdatedRows } = await tx
    .updateTable('review')
    .set({ reviewer_id: userId, ...CLAIMED })
    .where('id', 'in', some)
    .executeTakeFirstOrThrow()
  return numUpdatedRows
}
