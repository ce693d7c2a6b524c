import type { Tx } from '../../../core/db/database.ts'
import { CLAIM_STEP, CLAIMED, type ClaimedAuthor } from '../../../core/db/original-author.ts'

/** Gives some tracked times of a user at the source to an account; returns their number. */
export async function claimTimes(tx: Tx, { repoId, authorId, userId }: ClaimedAuthor): Promise<bigint> {
  const some = tx
    .selectFrom('tracked_time')
    .select('id')
    .where('repo_id', '=', repoId)
    .where('original_author_id', '=', authorId)
    .limit(CLAIM_STEP)
  const { numUpdatedRows } = await tx
    .updateTable('tracked_time')
    .set({ user_id: userId, ...CLAIMED })
    .where('id', 'in', some)
    .executeTakeFirstOrThrow()
  return numUpdatedRows
}
