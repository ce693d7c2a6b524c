import { loadRepoGrants } from '../../../../core/access/repo-grants.store.ts'
import { NO_GRANTS } from '../../../../core/access/repo-access.ts'
import { type SignedIn, viewerOfAccount } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { type DomainError, invalid } from '../../../../core/platform/errors.ts'
import { hasTeamRepo } from '../../../accounts/index.ts'
import { isOfficialReviewer, isOfficialTeam } from '../../../code/index.ts'
import { loadRepoAccess } from '../../../repositories/index.ts'
import type { Reviewer } from './find-reviewers.ts'
import { canChooseReviewers, type RequestPlace, reviewerProblem, teamProblem } from '../reviews.policy.ts'

/** A request that may be made. */
export interface PlannedRequest {
  readonly reviewer: Reviewer
  /** The review would count for the protection of the base branch. */
  readonly isOfficial: boolean
}

/** The refusal of a rule of requests, in the form that clients know. */
export const refusal = (text: string, actor: SignedIn, { repo }: Pick<RequestPlace, 'repo'>): DomainError =>
  invalid(`${text} [user_id: ${actor.account.id}, repo_id: ${repo.id}]`)

export async function mayChooseReviewers(read: Db, actor: SignedIn, place: RequestPlace): Promise<boolean> {
  const { id } = actor.account
  const grants = (await loadRepoGrants(read, id, [place.repo])).get(place.repo.id) ?? NO_GRANTS
  return canChooseReviewers(id, place, grants)
}

/** Why the reviewer cannot be asked, in the contract's words; undefined if he can. */
export async function findProblem(read: Db, place: RequestPlace, reviewer: Reviewer): Promise<string | undefined> {
  const { user, team } = reviewer
  if (team !== undefined) return teamProblem(team, await hasTeamRepo(read, team, place.repo), place)
  return reviewerProblem(user, await loadRepoAccess(read, viewerOfAccount(user), place.repo), place)
}

/** NOTE: not within a transaction: names of branches are compared with patterns, which may take long. */
export async function planRequest(read: Db, place: RequestPlace, reviewer: Reviewer): Promise<PlannedRequest> {
  const { repo, baseBranch } = place
  const { user, team } = reviewer
  const isOfficial =
    team === undefined
      ? await isOfficialReviewer(read, repo, baseBranch, user)
      : await isOfficialTeam(read, repo, baseBranch, team)
  return { reviewer, isOfficial }
}
