import type { Db, Tx } from '../../../../core/db/database.ts'
import { asId, type PullId, type ReviewId, type TeamId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { type Review, toReview } from './review.store.ts'
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { DiffSide } from '../../../../core/git/index.ts'
import type { ReviewCommentTable } from '../reviews.table.ts'

const DECISIONS = ['approved', 'rejected'] as const

/** A new approval or rejection replaces the user's earlier ones. */
export async function replaceDecisions(tx: Tx, { id, pullId, reviewerId }: Review, at: number): Promise<void> {
  const earlier = tx
    .updateTable('review')
    .where('pull_id', '=', pullId)
    .where('reviewer_id', '=', reviewerId!)
    .where('original_author', '=', '')
    .where('id', '!=', id)
  await earlier.set({ is_official: 0 }).where('is_official', '=', 1).execute()
  await earlier
    .set({ is_dismissed: 1, updated_at: at })
    .where('kind', 'in', DECISIONS)
    .where('is_dismissed', '=', 0)
    .execute()
}

/** Deletes the open requests of a user and of teams. */
export async function deleteRequests(
  tx: Tx,
  pullId: PullId,
  { userId, teamIds }: { readonly userId: UserId; readonly teamIds: readonly TeamId[] },
): Promise<void> {
  const requests = tx.deleteFrom('review').where('pull_id', '=', pullId).where('kind', '=', 'request')
  await requests.where('reviewer_id', '=', userId).where('team_id', '=', 0).execute()
  if (teamIds.length > 0) await requests.where('team_id', 'in', teamIds).execute()
}

/** The teams with an open request that have the user as a member. */
export async function listRequestedTeams(db: Db, pullId: PullId, userId: UserId): Promise<TeamId[]> {
  const rows = await db
    .selectFrom('review')
    .innerJoin('team_member', 'team_member.team_id', 'review.team_id')
    .select('review.team_id')
    .where('review.pull_id', '=', pullId)
    .where('review.kind', '=', 'request')
    .where('team_member.user_id', '=', userId)
    .execute()
  return rows.map((row) => asId(row.team_id))
}

/**
 * Restores the official mark of the user's newest approval, rejection or request that precedes a deleted review or
 * withdrawn request. NOTE: also of a dismissed one: it was official before, a newer approval dismisses those that it
 * replaces, and a dismissed review does not count until it is undismissed (behaviour/pull-requests#reviews).
 */
export async function restoreOfficial(
  tx: Tx,
  { id, pullId, reviewerId }: Pick<Review, 'id' | 'pullId' | 'reviewerId'>,
): Promise<void> {
  const newest = await tx
    .selectFrom('review')
    .select('id')
    .where('pull_id', '=', pullId)
    .where('reviewer_id', '=', reviewerId!)
    .where('original_author', '=', '')
    .where('kind', 'in', [...DECISIONS, 'request'])
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest) await tx.updateTable('review').set({ is_official: 1 }).where('id', '=', newest.id).execute()
}

/** Earlier approvals and rejections of the same user that were not dismissed. */
export async function listPriorDecisions(db: Db, { id, pullId, reviewerId }: Review): Promise<ReviewId[]> {
  const rows = await db
    .selectFrom('review')
    .select('id')
    .where('pull_id', '=', pullId)
    .where('reviewer_id', '=', reviewerId!)
    .where('original_author', '=', '')
    .where('kind', 'in', DECISIONS)
    .where('is_dismissed', '=', 0)
    .where('id', '<', id)
    .execute()
  return rows.map((row) => asId(row.id))
}

/** Submitted reviews of a pull request that are not marked as stale. */
export async function listFreshReviews(db: Db, pullId: PullId): Promise<Pick<Review, 'commitOid' | 'id'>[]> {
  const rows = await db
    .selectFrom('review')
    .select(['id', 'commit_oid'])
    .where('pull_id', '=', pullId)
    .where('kind', 'in', [...DECISIONS, 'comment'])
    .where('is_stale', '=', 0)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ id: asId(row.id), commitOid: row.commit_oid }))
}

/** Clears the stale mark of reviews of the commit. */
export async function clearStale(tx: Tx, pullId: PullId, commitOid: string): Promise<void> {
  const stale = tx.updateTable('review').set({ is_stale: 0 }).where('pull_id', '=', pullId).where('is_stale', '=', 1)
  await stale.where('commit_oid', '=', commitOid).execute()
}

/** Records the new base of a pull request in its approvals. */
export async function retargetReviews(
  tx: Tx,
  pullId: PullId,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const approvals = tx.updateTable('review').where('pull_id', '=', pullId).where('kind', '=', 'approved')
  await approvals.set({ former_base: from }).where('former_base', '=', '').execute()
  await approvals.set({ former_base: '' }).where('former_base', '=', to).execute()
}

/** Returns the reviews that were not stale before, with the mark. */
export async function markStale(tx: Tx, ids: readonly ReviewId[]): Promise<Review[]> {
  if (ids.length === 0) return []
  const update = tx.updateTable('review').set({ is_stale: 1 }).where('id', 'in', ids).where('is_stale', '=', 0)
  return (await update.returningAll().execute()).map(toReview).toSorted((a, b) => a.id - b.id)
}

/** The position of a review comment in the diff. */
export interface CommentPosition {
  readonly entryId: number
  readonly reviewId: ReviewId
  readonly pullId: PullId
  readonly path: string
  readonly side: DiffSide
  /** The line that the comment is shown below. */
  readonly line: number
  readonly startLine: number
  /** The head and the merge base that path and lines refer to. */
  readonly commitOid: string
  readonly baseOid: string
  /** Empty when git found none. */
  readonly lineCommitOid: string
  readonly diffHunk: string
  readonly isOutdated: boolean
  readonly resolverId: UserId | undefined
  readonly replyTo: number | undefined
}

const toPosition = (row: Selectable<ReviewCommentTable>): CommentPosition => ({
  entryId: row.entry_id,
  reviewId: asId(row.review_id),
  pullId: asId(row.pull_id),
  path: row.path,
  side: row.side as DiffSide,
  line: row.line,
  startLine: row.start_line,
  commitOid: row.commit_oid,
  baseOid: row.base_oid,
  lineCommitOid: row.line_commit_oid,
  diffHunk: row.diff_hunk,
  isOutdated: row.is_outdated === 1,
  resolverId: row.resolver_id === 0 ? undefined : asId(row.resolver_id),
  replyTo: row.reply_to === 0 ? undefined : row.reply_to,
})

export async function findCommentPosition(db: Db, entryId: number): Promise<CommentPosition | undefined> {
  const row = await db.selectFrom('review_comment').selectAll().where('entry_id', '=', entryId).executeTakeFirst()
  return row && toPosition(row)
}

/** The positions of the comments of a review, oldest first. */
export async function listCommentPositions(db: Db, reviewId: ReviewId): Promise<CommentPosition[]> {
  const rows = await db
    .selectFrom('review_comment')
    .selectAll()
    .where('review_id', '=', reviewId)
    .orderBy('entry_id')
    .execute()
  return rows.map(toPosition)
}

/** The positions of review comments by their entries, in no particular order. */
export async function listPositionsByEntries(db: Db, entryIds: readonly number[]): Promise<CommentPosition[]> {
  if (entryIds.length === 0) return []
  const rows = await db.selectFrom('review_comment').selectAll().where('entry_id', 'in', entryIds).execute()
  return rows.map(toPosition)
}

/** The positions of at most `limit` comments of the user's pending review, oldest first. */
export async function listPendingPositions(
  db: Db,
  pullId: PullId,
  { reviewerId, limit }: { readonly reviewerId: UserId; readonly limit: number },
): Promise<CommentPosition[]> {
  const rows = await db
    .selectFrom('review_comment')
    .innerJoin('review', 'review.id', 'review_comment.review_id')
    .selectAll('review_comment')
    .where('review.pull_id', '=', pullId)
    .where('review.reviewer_id', '=', reviewerId)
    .where('review.kind', '=', 'pending')
    .orderBy('review_comment.entry_id')
    .limit(limit)
    .execute()
  return rows.map(toPosition)
}

/** The positions of comments that are not outdated, which a push may move. */
export async function listCurrentPositions(db: Db, pullId: PullId): Promise<CommentPosition[]> {
  const rows = await db
    .selectFrom('review_comment')
    .selectAll()
    .where('pull_id', '=', pullId)
    .where('is_outdated', '=', 0)
    .orderBy('entry_id')
    .execute()
  return rows.map(toPosition)
}

/** The number of comments by review; absent for none. */
export async function countReviewComments(
  db: Db,
  reviewIds: readonly ReviewId[],
): Promise<ReadonlyMap<ReviewId, number>> {
  if (reviewIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('review_comment')
    .select((eb) => ['review_id', eb.fn.countAll<number>().as('count')])
    .where('review_id', 'in', reviewIds)
    .groupBy('review_id')
    .execute()
  return new Map(rows.map((row) => [asId<ReviewId>(row.review_id), row.count]))
}

export async function insertCommentPositions(tx: Tx, rows: readonly Insertable<ReviewCommentTable>[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('review_comment').values(rows).execute()
}

/** Does nothing when the comment was deleted. */
export async function updateCommentPosition(
  tx: Tx,
  entryId: number,
  values: Updateable<ReviewCommentTable>,
): Promise<void> {
  await tx.updateTable('review_comment').set(values).where('entry_id', '=', entryId).execute()
}

/** Does not change who resolved a comment that is already resolved. */
export async function resolveComments(tx: Tx, entryIds: readonly number[], resolverId: UserId): Promise<void> {
  await tx
    .updateTable('review_comment')
    .set({ resolver_id: resolverId })
    .where('entry_id', 'in', entryIds)
    .where('resolver_id', '=', 0)
    .execute()
}
