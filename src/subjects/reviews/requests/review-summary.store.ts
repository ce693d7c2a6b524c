import type { Db } from '../../../db/database.ts'
import { runKept } from '../../../db/kept-statement.ts'
import { asId, type PullId, type TeamId, type UserId } from '../../../platform/crypto/ids.ts'
import type { Repo } from '../../repos/index.ts'
import { isShown } from '../records/shown-reviews.store.ts'

interface NewestReview {
  readonly pullId: PullId
  /** Undefined for a team. */
  readonly reviewerId: UserId | undefined
  readonly teamId: TeamId | undefined
}

/**
 * The newest review or request of each person and team in pull requests of one repository that was not dismissed, the
 * one changed first first. See `isShown`.
 */
export async function listNewestReviews(db: Db, repo: Repo, pullIds: readonly PullId[]): Promise<NewestReview[]> {
  if (pullIds.length === 0) return []
  // NOTE: most pull requests of a list have none, and the statement below is built anew for each call.
  const reviewed = (await runKept(db, withReviews, { pullIds })).map(({ pull_id }) => pull_id)
  if (reviewed.length === 0) return []
  const newest = db
    .selectFrom('review')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('pull_id', 'in', reviewed)
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

const withReviews = (db: Db, { pullIds }: { readonly pullIds: readonly PullId[] }) =>
  db.selectFrom('review').select('pull_id').distinct().where('pull_id', 'in', pullIds)

/**
 * Posts of reviews by pull request, each to a pending review among them and requests not; none without
 * (behaviour/pull-requests#the-pullrequest-object).
 */
export async function countSubmissions(db: Db, pullIds: readonly PullId[]): Promise<ReadonlyMap<PullId, number>> {
  if (pullIds.length === 0) return new Map()
  const rows = await runKept(db, submissions, { pullIds })
  return new Map(rows.map((row) => [asId<PullId>(row.id), Number(row.count)]))
}

const submissions = (db: Db, { pullIds }: { readonly pullIds: readonly PullId[] }) =>
  db
    .selectFrom('pull')
    .innerJoin('timeline_entry', 'timeline_entry.issue_id', 'pull.issue_id')
    .select((eb) => ['pull.id', eb.fn.countAll().as('count')])
    .where('pull.id', 'in', pullIds)
    .where('timeline_entry.kind', 'in', ['pending_review', 'review'])
    .groupBy('pull.id')
