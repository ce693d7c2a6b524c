import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { DiffSide } from '../../../../core/git/index.ts'
import { asId, type PullId, type ReviewId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { ReviewCommentTable } from '../reviews.table.ts'

/** Where a comment of a review is in the diff. */
export interface CommentPlace {
  readonly entryId: number
  readonly reviewId: ReviewId
  readonly pullId: PullId
  readonly path: string
  readonly side: DiffSide
  /** The comment is shown below it. */
  readonly line: number
  readonly startLine: number
  /** The head and the merge base that path and lines belong to. */
  readonly commitOid: string
  readonly baseOid: string
  /** Empty where git found none. */
  readonly lineCommitOid: string
  readonly diffHunk: string
  readonly isOutdated: boolean
  readonly resolverId: UserId | undefined
  readonly replyTo: number | undefined
}

const toPlace = (row: Selectable<ReviewCommentTable>): CommentPlace => ({
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

export async function findCommentPlace(db: Db, entryId: number): Promise<CommentPlace | undefined> {
  const row = await db.selectFrom('review_comment').selectAll().where('entry_id', '=', entryId).executeTakeFirst()
  return row && toPlace(row)
}

/** The oldest first. */
export async function listCommentPlaces(db: Db, reviewId: ReviewId): Promise<CommentPlace[]> {
  const rows = await db
    .selectFrom('review_comment')
    .selectAll()
    .where('review_id', '=', reviewId)
    .orderBy('entry_id')
    .execute()
  return rows.map(toPlace)
}

/** The places of the entries that are comments of reviews, in no particular order. */
export async function listPlacesByEntries(db: Db, entryIds: readonly number[]): Promise<CommentPlace[]> {
  if (entryIds.length === 0) return []
  const rows = await db.selectFrom('review_comment').selectAll().where('entry_id', 'in', entryIds).execute()
  return rows.map(toPlace)
}

/** Comments of a pull request that a push may move: those at lines that exist. */
export async function listCurrentPlaces(db: Db, pullId: PullId): Promise<CommentPlace[]> {
  const rows = await db
    .selectFrom('review_comment')
    .selectAll()
    .where('pull_id', '=', pullId)
    .where('is_outdated', '=', 0)
    .orderBy('entry_id')
    .execute()
  return rows.map(toPlace)
}

/** The number of comments by review; none without. */
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

export async function insertCommentPlaces(tx: Tx, rows: readonly Insertable<ReviewCommentTable>[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('review_comment').values(rows).execute()
}

/** Nothing happens when the comment was deleted meanwhile. */
export async function updateCommentPlace(
  tx: Tx,
  entryId: number,
  values: Updateable<ReviewCommentTable>,
): Promise<void> {
  await tx.updateTable('review_comment').set(values).where('entry_id', '=', entryId).execute()
}

/** Comments that are resolved already keep who resolved them. */
export async function resolveComments(tx: Tx, entryIds: readonly number[], resolverId: UserId): Promise<void> {
  await tx
    .updateTable('review_comment')
    .set({ resolver_id: resolverId })
    .where('entry_id', 'in', entryIds)
    .where('resolver_id', '=', 0)
    .execute()
}
