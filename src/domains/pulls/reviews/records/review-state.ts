import type { Db } from '../../../../core/db/database.ts'
import type { PullId } from '../../../../core/platform/crypto/ids.ts'
import type { ReviewState, StateOptions } from '../../pulls/pull-views.ts'
import { type Team, userQueries, teamQueries } from '../../../accounts/index.ts'
import { isStale } from '../reviews/post-review.ts'
import { listReviewsOf, type Review } from './review.store.ts'
import { protectionQueries } from '../../../code/index.ts'
import { findPull } from '../../pulls/records/pull.store.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { teamProblem } from '../reviews.policy.ts'

/**
 * The official reviews and requests that count: their reviewer must still be an official one
 * (behaviour/pull-requests#reviews). Runs a few queries for each reviewer, of whom there are at most as many as
 * writers.
 */
async function selectCounting(db: Db, official: readonly Review[]): Promise<Review[]> {
  const pull = official[0] && (await findPull(db, official[0].pullId))
  const repo = pull && (await repoQueries.findById(db, pull.baseRepoId))
  if (pull === undefined || repo === undefined) return []
  const users = await userQueries.listByIds(db, [...new Set(official.flatMap(({ reviewerId }) => reviewerId ?? []))])
  const teams = await teamQueries.listByIds(db, [...new Set(official.flatMap(({ teamId }) => teamId ?? []))])
  const [userIds, teamIds] = [new Set<number>(), new Set<number>()]
  for (const user of users)
    if (await protectionQueries.isOfficialReviewer(db, repo, pull.baseBranch, user)) userIds.add(user.id)
  for (const team of teams)
    if ((await canRead(db, repo, team)) && (await protectionQueries.isOfficialTeam(db, repo, pull.baseBranch, team)))
      teamIds.add(team.id)
  return official.filter(({ reviewerId, teamId }) =>
    teamId === undefined ? reviewerId !== undefined && userIds.has(reviewerId) : teamIds.has(teamId),
  )
}

const canRead = async (db: Db, repo: Repo, team: Team): Promise<boolean> =>
  teamProblem(team, await teamQueries.hasRepo(db, team, repo), { repo }) === undefined

/**
 * The state of the reviews of a pull request for the protection of its base, with the present access of the reviewers.
 */
export async function loadReviewState(
  db: Db,
  pullId: PullId,
  { ignoresStale, current }: StateOptions,
): Promise<ReviewState> {
  const reviews = (await listReviewsOf(db, [pullId])).filter((review) => !review.isDismissed)
  const official = await selectCounting(
    db,
    reviews.filter((review) => review.isOfficial),
  )
  const approved = reviews.filter((review) => review.kind === 'approved' && review.originalAuthor === undefined)
  const counted: Review[] = []
  for (const review of official.filter(({ kind }) => kind === 'approved')) {
    if (review.formerBase !== '' || (ignoresStale && review.isStale)) continue
    const { isStale: isMarked, commitOid } = review
    if (isMarked || current === undefined || !(await isStale(current.git, current.pull, commitOid)))
      counted.push(review)
  }
  const approverIds = [...new Set(approved.flatMap((review) => review.reviewerId ?? []))]
  return {
    approvals: new Set(counted.map((review) => review.reviewerId)).size,
    isRejected: official.some((review) => review.kind === 'rejected'),
    hasOpenRequest: official.some((review) => review.kind === 'request'),
    approvers: await userQueries.listByIds(db, approverIds),
  }
}
