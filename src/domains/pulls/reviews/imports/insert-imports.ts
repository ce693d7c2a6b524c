import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import type { AuthorColumns } from '../../../../core/db/original-author.ts'
import type { ReviewId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { issueImports } from '../../../issues/index.ts'
import type { Pull } from '../../pulls/records/pull.store.ts'
import { deleteRequests, insertCommentPositions } from '../records/records.store.ts'
import { insertReview, updateReview } from '../records/review.store.ts'
import type { LocatedPlace } from './locate-imports.ts'

interface Written {
  readonly userId: UserId
  readonly author: AuthorColumns
  /** Within the limits of the API. */
  readonly body: string
}

/** A submitted review of another service. Times are epoch milliseconds. */
export interface ImportedReview extends Written {
  readonly kind: 'approved' | 'comment' | 'rejected'
  /** Empty if it is no id of a commit. */
  readonly commitOid: string
  readonly isOfficial: boolean
  readonly isStale: boolean
  readonly isDismissed: boolean
  readonly submittedAt: number
}

export interface ImportedReviewComment extends Written {
  readonly position: LocatedPlace
  /** The entry of the comment that this one answers; 0 for none. */
  readonly replyTo: number
  readonly resolverId: UserId | 0
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * Inserts a review with its entry in the timeline. The review of an account ends the request for it. Causes no event and
 * dismisses no other review.
 */
export async function insertImportedReview(
  tx: Tx,
  pull: Pull,
  review: ImportedReview,
): Promise<{ readonly id: ReviewId; readonly entryId: number }> {
  const { userId, author, body, submittedAt: at } = review
  const { id } = await insertReview(tx, {
    pull_id: pull.id,
    issue_id: pull.issueId,
    kind: review.kind,
    reviewer_id: userId,
    ...author,
    body,
    commit_oid: review.commitOid,
    is_official: flag(review.isOfficial),
    is_stale: flag(review.isStale),
    is_dismissed: flag(review.isDismissed),
    created_at: at,
    updated_at: at,
    submitted_at: at,
  })
  const position = { issueId: pull.issueId, repoId: pull.baseRepoId, createdAt: at, updatedAt: at }
  const [entry] = await issueImports.insertEntries(tx, [
    { ...position, kind: 'review', actorId: userId, author, body, payload: { reviewId: id } },
  ])
  await updateReview(tx, id, { entry_id: entry!.id })
  if (author.original_author === '') await deleteRequests(tx, pull.id, { userId, teamIds: [] })
  return { id, entryId: entry!.id }
}

/** Inserts comments of a review; returns their entries in the given order. */
export async function insertImportedComments(
  tx: Tx,
  { pull, reviewId }: { readonly pull: Pull; readonly reviewId: ReviewId },
  comments: readonly ImportedReviewComment[],
): Promise<number[]> {
  const entries = await issueImports.insertEntries(
    tx,
    comments.map(({ userId, author, body, createdAt, updatedAt }) => ({
      issueId: pull.issueId,
      repoId: pull.baseRepoId,
      kind: 'code' as const,
      actorId: userId,
      author,
      body,
      payload: { reviewId },
      createdAt,
      updatedAt,
    })),
  )
  await insertCommentPositions(
    tx,
    comments.map(({ position, replyTo, resolverId }, index) => ({
      entry_id: entries[index]!.id,
      review_id: reviewId,
      pull_id: pull.id,
      path: position.path,
      side: position.side,
      line: position.line,
      start_line: position.startLine,
      commit_oid: position.commitOid,
      base_oid: position.baseOid,
      line_commit_oid: position.lineCommitOid,
      diff_hunk: position.diffHunk,
      is_outdated: flag(position.isOutdated),
      resolver_id: resolverId,
      reply_to: replyTo,
    })),
  )
  return entries.map(({ id }) => id)
}

/** A request for a review of an account that may read the repository once the import ends. */
export async function insertImportedRequest(tx: Tx, pull: Pull, userId: UserId, at: number): Promise<void> {
  await insertReview(tx, {
    pull_id: pull.id,
    issue_id: pull.issueId,
    kind: 'request',
    reviewer_id: userId,
    is_official: 1,
    created_at: at,
    updated_at: at,
  })
}
