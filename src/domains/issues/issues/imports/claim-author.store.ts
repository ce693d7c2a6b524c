import type { Tx } from '../../../../core/db/database.ts'
import { CLAIM_STEP, CLAIMED, type ClaimedAuthor } from '../../../../core/db/original-author.ts'

/** Gives some issues and pull requests of an author at the source to an account; returns their number. */
export async function claimIssues(tx: Tx, { repoId, authorId, userId }: ClaimedAuthor): Promise<bigint> {
  const some = tx
    .selectFrom('issue')
    .select('id')
    .where('repo_id', '=', repoId)
    .where('original_author_id', '=', authorId)
    .limit(CLAIM_STEP)
  const { numUpdatedRows } = await tx
    .updateTable('issue')
    .set({ poster_id: userId, ...CLAIMED })
    .where('id', 'in', some)
    .executeTakeFirstOrThrow()
  return numUpdatedRows
}

/** Gives some comments and events of an author at the source to an account; returns their number. */
export async function claimEntries(tx: Tx, { repoId, authorId, userId }: ClaimedAuthor): Promise<bigint> {
  const some = tx
    .selectFrom('timeline_entry')
    .select('id')
    .where('repo_id', '=', repoId)
    .where('original_author_id', '=', authorId)
    .limit(CLAIM_STEP)
  const { numUpdatedRows } = await tx
    .updateTable('timeline_entry')
    .set({ actor_id: userId, ...CLAIMED })
    .where('id', 'in', some)
    .executeTakeFirstOrThrow()
  return numUpdatedRows
}
