import type { Db } from '../../../../core/db/database.ts'
import { type Team, hasTeamRepo, listTeamsByIds, listUsersByIds } from '../../../accounts/index.ts'
import { isOfficialReviewer, isOfficialTeam } from '../../../code/index.ts'
import { findPull } from '../../pulls/records/pull.store.ts'
import { type Repo, findRepoById } from '../../../repositories/index.ts'
import type { Review } from '../records/review.store.ts'
import { teamProblem } from '../requests/request.policy.ts'

/**
 * Of the official reviews and requests of a pull request, those that count: their reviewer must still be an official
 * one (behaviour/pull-requests#reviews). A few queries for each reviewer, of whom there are as many as write the code.
 */
export async function selectCounting(db: Db, official: readonly Review[]): Promise<Review[]> {
  const pull = official[0] && (await findPull(db, official[0].pullId))
  const repo = pull && (await findRepoById(db, pull.baseRepoId))
  if (pull === undefined || repo === undefined) return []
  const users = await listUsersByIds(db, [...new Set(official.flatMap(({ reviewerId }) => reviewerId ?? []))])
  const teams = await listTeamsByIds(db, [...new Set(official.flatMap(({ teamId }) => teamId ?? []))])
  const [userIds, teamIds] = [new Set<number>(), new Set<number>()]
  for (const user of users) if (await isOfficialReviewer(db, repo, pull.baseBranch, user)) userIds.add(user.id)
  for (const team of teams)
    if ((await canRead(db, repo, team)) && (await isOfficialTeam(db, repo, pull.baseBranch, team))) teamIds.add(team.id)
  return official.filter(({ reviewerId, teamId }) =>
    teamId === undefined ? reviewerId !== undefined && userIds.has(reviewerId) : teamIds.has(teamId),
  )
}

const canRead = async (db: Db, repo: Repo, team: Team): Promise<boolean> =>
  teamProblem(team, await hasTeamRepo(db, team, repo), { repo }) === undefined
