import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import { cachedCount } from '../../../../core/db/read-cache.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { IssueFilter } from './issue-filter.ts'
import type { Driver, Residual } from './ranges.store.ts'

interface ReviewSet {
  readonly name: string
  readonly userId: UserId
  /** Selects `issue_id`, each once. */
  readonly issues: RawBuilder<unknown>
}

/** The sets of pull requests that the filter asks for: those to review, and those reviewed. */
function reviewSetsOf({ requestedOfId, reviewedById }: IssueFilter): ReviewSet[] {
  const sets: ReviewSet[] = []
  if (requestedOfId !== undefined)
    sets.push({ name: 'review request', userId: requestedOfId, issues: requestsOf(requestedOfId) })
  if (reviewedById !== undefined) sets.push({ name: 'review', userId: reviewedById, issues: reviewsBy(reviewedById) })
  return sets
}

/** With open requests of the account and of its teams. */
const requestsOf = (userId: UserId): RawBuilder<unknown> => sql`
  select issue_id from review where reviewer_id = ${userId} and kind = 'request'
  union
  select review.issue_id from team_member cross join review
    where team_member.user_id = ${userId} and review.team_id = team_member.team_id and review.kind = 'request'`

const reviewsBy = (userId: UserId): RawBuilder<unknown> => sql`
  select distinct issue_id from review
    where reviewer_id = ${userId} and kind in ('approved', 'rejected', 'comment')`

/** Those of the account itself are left out (behaviour/issues#listing-and-search). */
export const reviewResiduals = (filter: IssueFilter): Residual[] =>
  reviewSetsOf(filter).flatMap(({ name, userId, issues }) => [
    { name, needsIssue: false, condition: (id) => sql<SqlBool>`${id} in (${issues})` },
    { name: 'own', needsIssue: true, condition: () => sql<SqlBool>`+issue.poster_id <> ${userId}` },
  ])

export const reviewDrivers = (db: Db, filter: IssueFilter): Promise<Driver[]> =>
  Promise.all(
    reviewSetsOf(filter).map(async ({ name, issues }) => ({
      name,
      sources: [{ table: issues }],
      count: await cachedCount(
        db,
        db.selectNoFrom(sql<number>`(select count(*) from (${issues}) as found)`.as('total')),
      ),
    })),
  )
