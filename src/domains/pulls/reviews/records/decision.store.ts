import type { Db, Tx } from '../../../../core/db/database.ts'
import { asId, type PullId, type ReviewId, type TeamId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { type Review, toReview } from './review.store.ts'

const DECISIONS = ['approved', 'rejected'] as const

/** A new approval or rejection replaces what the person said before. */
export async function replaceDecisions(tx: Tx, { id, pullId, reviewerId }: Review, at: number): Promise<void> {
  const earlier = tx
    .updateTable('review')
    .where('pull_id', '=', pullId)
    .where('reviewer_id', '=', reviewerId!)
    .where('id', '!=', id)
  await earlier.set({ is_official: 0 }).where('is_official', '=', 1).execute()
  await earlier
    .set({ is_dismissed: 1, updated_at: at })
    .where('kind', 'in', DECISIONS)
    .where('is_dismissed', '=', 0)
    .execute()
}

/** Deletes the open requests of a person and of teams. */
export async function deleteRequests(
  tx: Tx,
  pullId: PullId,
  { userId, teamIds }: { readonly userId: UserId; readonly teamIds: readonly TeamId[] },
): Promise<void> {
  const requests = tx.deleteFrom('review').where('pull_id', '=', pullId).where('kind', '=', 'request')
  await requests.where('reviewer_id', '=', userId).where('team_id', '=', 0).execute()
  if (teamIds.length > 0) await requests.where('team_id', 'in', teamIds).execute()
}

/** Of the teams that are asked for a review, those that have the person as a member. */
export async function listAskedTeams(db: Db, pullId: PullId, userId: UserId): Promise<TeamId[]> {
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
 * Makes the person's newest approval, rejection or request before a deleted review or withdrawn request official again.
 * NOTE: a dismissed one too: it was official before, a newer approval dismisses what it replaces, and a dismissed
 * review does not count before it is undismissed (behaviour/pull-requests#reviews).
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
    .where('kind', 'in', [...DECISIONS, 'request'])
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest) await tx.updateTable('review').set({ is_official: 1 }).where('id', '=', newest.id).execute()
}

/** Earlier approvals and rejections of the same person that were not dismissed. */
export async function listPriorDecisions(db: Db, { id, pullId, reviewerId }: Review): Promise<ReviewId[]> {
  const rows = await db
    .selectFrom('review')
    .select('id')
    .where('pull_id', '=', pullId)
    .where('reviewer_id', '=', reviewerId!)
    .where('kind', 'in', DECISIONS)
    .where('is_dismissed', '=', 0)
    .where('id', '<', id)
    .execute()
  return rows.map((row) => asId(row.id))
}

/** Submitted reviews of a pull request, but those that are known to be stale. */
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

/** Reviews of the commit are of what the pull request changes now. */
export async function clearStale(tx: Tx, pullId: PullId, commitOid: string): Promise<void> {
  const stale = tx.updateTable('review').set({ is_stale: 0 }).where('pull_id', '=', pullId).where('is_stale', '=', 1)
  await stale.where('commit_oid', '=', commitOid).execute()
}

/** Records the new base of a pull request with its approvals. */
export async function followBase(
  tx: Tx,
  pullId: PullId,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const approvals = tx.updateTable('review').where('pull_id', '=', pullId).where('kind', '=', 'approved')
  await approvals.set({ former_base: from }).where('former_base', '=', '').execute()
  await approvals.set({ former_base: '' }).where('former_base', '=', to).execute()
}

/** Returns those that were not stale before, as they are now. */
export async function markStale(tx: Tx, ids: readonly ReviewId[]): Promise<Review[]> {
  if (ids.length === 0) return []
  const update = tx.updateTable('review').set({ is_stale: 1 }).where('id', 'in', ids).where('is_stale', '=', 0)
  return (await update.returningAll().execute()).map(toReview).toSorted((a, b) => a.id - b.id)
}
