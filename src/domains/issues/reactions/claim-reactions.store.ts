import { sql } from 'kysely'
import type { Tx } from '../../../core/db/database.ts'
import { CLAIM_STEP, CLAIMED, type ClaimedAuthor } from '../../../core/db/original-author.ts'

/**
 * Assigns some reactions of an author at the source to an account, and deletes those that the account already has;
 * returns their number.
 */
export async function claimReactions(tx: Tx, { repoId, authorId, userId }: ClaimedAuthor): Promise<bigint> {
  const rows = await tx
    .selectFrom('reaction')
    .innerJoin('issue', 'issue.id', 'reaction.issue_id')
    .select('reaction.id')
    .where('issue.repo_id', '=', repoId)
    .where('reaction.original_author_id', '=', authorId)
    .limit(CLAIM_STEP)
    .execute()
  if (rows.length === 0) return 0n
  const ids = rows.map(({ id }) => id)
  await tx
    .deleteFrom('reaction')
    .where('id', 'in', ids)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('reaction as own')
          .select('own.id')
          .whereRef('own.issue_id', '=', 'reaction.issue_id')
          .where(sql<boolean>`coalesce(own.comment_id, 0) = coalesce(reaction.comment_id, 0)`)
          .whereRef('own.content', '=', 'reaction.content')
          .where('own.user_id', '=', userId)
          .where('own.original_author', '=', ''),
      ),
    )
    .execute()
  await tx
    .updateTable('reaction')
    .set({ user_id: userId, ...CLAIMED })
    .where('id', 'in', ids)
    .execute()
  return BigInt(ids.length)
}
