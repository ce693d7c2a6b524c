import type { Db } from '../../../../core/db/database.ts'
import { executePrepared } from '../../../../core/db/prepared-statement.ts'
import { asId, type PullId, type TeamId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Repo } from '../../../repositories/index.ts'
import { isShown } from '../records/shown-reviews.store.ts'

interface NewestReview {
  readonly pullId: PullId
  /** Undefined for a team. */
  readonly reviewerId: UserId | undefined
  readonly teamId: TeamId | undefined
}

/** How much there is of reviews of each pull request; see `countReviews`. */
export interface ReviewCounts {
  readonly pullId: PullId
  /** There is a review or a request. */
  readonly hasReviews: boolean
  /**
   * Posts of reviews, each to a pending review among them and requests not
   * (behaviour/pull-requests#the-pullrequest-object).
   */
  readonly submissions: number
}

/** Of those pull requests that exist; one query. */
export async function countReviews(db: Db, pullIds: readonly PullId[]): Promise<readonly ReviewCounts[]> {
  if (pullIds.length === 0) return []
  const rows = await executePrepared(db, counts, { pullIds })
  return rows.map(({ id, submissions, reviewed }) => ({
    pullId: asId(id),
    hasReviews: reviewed !== null,
    submissions: Number(submissions ?? 0),
  }))
}

const counts = (db: Db, { pullIds }: { readonly pullIds: readonly PullId[] }) =>
  db
    .selectFrom('pull')
    .select('pull.id')
    .select((eb) =>
      eb.selectFrom('review').select('review.id').whereRef('review.pull_id', '=', 'pull.id').limit(1).as('reviewed'),
    )
    .select((eb) =>
      eb
        .selectFrom('timeline_entry')
        .select((own) => own.fn.countAll().as('count'))
        .whereRef('timeline_entry.issue_id', '=', 'pull.issue_id')
        .where('timeline_entry.kind', 'in', ['pending_review', 'review'])
        .as('submissions'),
    )
    .where('pull.id', 'in', pullIds)

/**
 * The newest review or request of each person and team in pull requests of one repository that was not dismissed, the
 * one changed first first. See `isShown`.
 */
export async function listNewestReviews(db: Db, repo: Repo, pullIds: readonly PullId[]): Promise<NewestReview[]> {
  if (pullIds.length === 0) return []
  const newest = db
    .selectFrom('review')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('pull_id', 'in', pullIds)
    .where('kind', 'in', ['approved', 'comment', 'rejected', 'request'])
    .where('is_dismissed', '=', 0)
    .where(isShown(repo))
    .groupBy(['pull_id', 'reviewer_id', 'team_id'])
  const rows = await db
    .selectFrom('review')
    .select(['pull_id', 'reviewer_id', 'team_id'])
    .where('id', 'in', newest)
    .orderBy('updated_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    pullId: asId(row.pull_id),
    reviewerId: row.reviewer_id === 0 ? undefined : asId(row.reviewer_id),
    teamId: row.team_id === 0 ? undefined : asId(row.team_id),
  }))
}
