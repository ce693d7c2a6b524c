import type { Static } from '@sinclair/typebox'
import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { PullId } from '../../../../core/platform/crypto/ids.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { type TeamModel, type User, presentTeam, teamQueries, userQueries } from '../../../accounts/index.ts'
import type { ReviewSummary } from '../../pulls/pull-views.ts'
import type { Repo } from '../../../repositories/index.ts'
import { countReviews, listNewestReviews } from './request.store.ts'

interface SummaryDeps {
  readonly read: Db
  readonly site: Site
}

/**
 * The reviewers of the pull requests of one repository, with a fixed number of queries: the newest undismissed review
 * or request of each user, in the order of their changes (behaviour/pull-requests#the-pullrequest-object). Excludes
 * deleted accounts and teams.
 */
export async function summarizeReviews(
  { read, site }: SummaryDeps,
  { viewer, repo }: { readonly viewer: Viewer; readonly repo: Repo },
  pullIds: readonly PullId[],
): Promise<ReadonlyMap<PullId, ReviewSummary>> {
  const counts = await countReviews(read, pullIds)
  // NOTE: most pull requests of a list have no reviews.
  const reviewed = counts.filter(({ hasReviews }) => hasReviews).map(({ pullId }) => pullId)
  const newest = await listNewestReviews(read, repo, reviewed)
  const [users, teams] = await Promise.all([
    userQueries.listByIds(
      read,
      newest.flatMap(({ reviewerId }) => reviewerId ?? []),
    ),
    teamQueries.listByIds(read, [...new Set(newest.flatMap(({ teamId }) => teamId ?? []))]),
  ])
  const userById = new Map(users.map((user) => [user.id, user]))
  const teamById = new Map(
    teams.map((team) => [team.id, presentRequestedTeam(team, { org: repo.owner, viewer, site })]),
  )
  return new Map(
    counts.flatMap(({ pullId: id, submissions: reviewsCount }): [PullId, ReviewSummary][] => {
      const own = newest.filter(({ pullId }) => pullId === id)
      if (own.length + reviewsCount === 0) return []
      const reviewers = own.flatMap(({ reviewerId }): User[] => known(reviewerId && userById.get(reviewerId)))
      const asked = own.flatMap(({ teamId }): Static<typeof TeamModel>[] => known(teamId && teamById.get(teamId)))
      return [[id, { reviewers, teams: asked, reviewsCount }]]
    }),
  )
}

/** COMPAT: shown without a permission of its own, as in a review (test/pulls/reviews/requests.test.ts). */
const presentRequestedTeam: typeof presentTeam = (team, context) => ({
  ...presentTeam(team, context),
  permission: 'none',
})

const known = <T>(found: T | undefined): T[] => (found === undefined ? [] : [found])
