import type { Tx } from '../../../core/db/database.ts'
import type { AuthorColumns } from '../../../core/db/original-author.ts'
import type { Reaction, ReactionKey } from './reaction.store.ts'

export type ImportedReaction = ReactionKey &
  Pick<Reaction, 'userId' | 'content' | 'createdAt'> & {
    /** Its name contains the service, as `ann(gitea)`. */
    readonly author: AuthorColumns
  }

const CHUNK = 500

/** Inserts reactions of an import in this order. */
export async function insertImportedReactions(tx: Tx, reactions: readonly ImportedReaction[]): Promise<void> {
  for (let start = 0; start < reactions.length; start += CHUNK)
    await tx
      .insertInto('reaction')
      .values(
        reactions.slice(start, start + CHUNK).map(({ issueId, commentId, userId, author, content, createdAt }) => ({
          issue_id: issueId,
          comment_id: commentId ?? null,
          user_id: userId,
          ...author,
          content,
          created_at: createdAt,
        })),
      )
      .execute()
}
