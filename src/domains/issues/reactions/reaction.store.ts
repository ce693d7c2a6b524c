import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { selectPage } from '../../../core/db/page.ts'
import { asId, type IssueId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type OriginalAuthor, toOriginalAuthor } from '../../../core/db/original-author.ts'
import type { ReactionTable } from './reaction.table.ts'

/** An issue, or one of its comments. */
export interface ReactionKey {
  readonly issueId: IssueId
  readonly commentId: number | undefined
}

export interface Reaction {
  readonly userId: UserId
  /** Undefined unless imported; its login contains the service, as `ann(gitea)`. */
  readonly originalAuthor?: OriginalAuthor | undefined
  readonly content: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

const toReaction = (row: Selectable<ReactionTable>): Reaction => ({
  userId: asId(row.user_id),
  originalAuthor: toOriginalAuthor(row),
  content: row.content,
  createdAt: row.created_at,
})

const reactionsTo = (db: Db, { issueId, commentId }: ReactionKey) =>
  db
    .selectFrom('reaction')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where((eb) => (commentId === undefined ? eb('comment_id', 'is', null) : eb('comment_id', '=', commentId)))

/** Oldest first. */
export const listReactions = (db: Db, key: ReactionKey, paging: Paging): Promise<Page<Reaction>> =>
  selectPage(reactionsTo(db, key).orderBy('id'), paging, toReaction)

/** Oldest first. */
export const listAllReactions = async (db: Db, key: ReactionKey): Promise<Reaction[]> =>
  (await reactionsTo(db, key).orderBy('id').execute()).map(toReaction)

export async function findReaction(
  db: Db,
  key: ReactionKey,
  { userId, content }: Pick<Reaction, 'userId' | 'content'>,
): Promise<Reaction | undefined> {
  const row = await reactionsTo(db, key)
    .where('user_id', '=', userId)
    .where('content', '=', content)
    .where('original_author', '=', '')
    .executeTakeFirst()
  return row && toReaction(row)
}

export async function insertReaction(
  tx: Tx,
  { issueId, commentId }: ReactionKey,
  { userId, content, createdAt }: Reaction,
): Promise<void> {
  await tx
    .insertInto('reaction')
    .values({ issue_id: issueId, comment_id: commentId ?? null, user_id: userId, content, created_at: createdAt })
    .execute()
}

export async function deleteReaction(
  tx: Tx,
  { issueId, commentId }: ReactionKey,
  { userId, content }: Pick<Reaction, 'userId' | 'content'>,
): Promise<void> {
  await tx
    .deleteFrom('reaction')
    .where('issue_id', '=', issueId)
    .where((eb) => (commentId === undefined ? eb('comment_id', 'is', null) : eb('comment_id', '=', commentId)))
    .where('user_id', '=', userId)
    .where('content', '=', content)
    .where('original_author', '=', '')
    .execute()
}
