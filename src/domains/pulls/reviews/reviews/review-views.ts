import type { Db } from '../../../../core/db/database.ts'
import { type Team, type User, teamQueries, userQueries } from '../../../accounts/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { Issue } from '../../../issues/index.ts'
import { countReviewComments } from '../records/records.store.ts'
import type { Review } from '../records/review.store.ts'

/** The data of the wire model of a review. */
export interface ReviewView {
  readonly review: Review
  readonly issue: Issue
  readonly repo: Repo
  /** Undefined when the account was deleted, and for a team's request. */
  readonly reviewer: User | undefined
  readonly team: Team | undefined
  readonly commentsCount: number
}

/** Views of reviews of one pull request in the given order, with a fixed number of queries. */
export async function loadReviewViews(
  db: Db,
  { repo, issue }: { readonly repo: Repo; readonly issue: Issue },
  reviews: readonly Review[],
): Promise<ReviewView[]> {
  const [users, teams, counts] = await Promise.all([
    userQueries.listByIds(
      db,
      reviews.flatMap((review) => review.reviewerId ?? []),
    ),
    teamQueries.listByIds(
      db,
      reviews.flatMap((review) => review.teamId ?? []),
    ),
    countReviewComments(
      db,
      reviews.map((review) => review.id),
    ),
  ])
  const userOf = new Map(users.map((user) => [user.id, user]))
  const teamOf = new Map(teams.map((team) => [team.id, team]))
  return reviews.map((review) => ({
    review,
    issue,
    repo,
    reviewer: review.reviewerId && userOf.get(review.reviewerId),
    team: review.teamId && teamOf.get(review.teamId),
    commentsCount: counts.get(review.id) ?? 0,
  }))
}
