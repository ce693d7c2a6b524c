import { AccessMode } from '../../../../core/access/access-mode.ts'
import { type RepoAccess, type RepoGrants, unitMode } from '../../../../core/access/repo-access.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Team, User } from '../../../accounts/index.ts'
import type { Repo } from '../../../repositories/index.ts'

/** A pull request, or one that is about to be made. */
export interface RequestPlace {
  readonly repo: Repo
  readonly baseBranch: string
  readonly posterId: UserId
}

/**
 * Who may ask for reviews and withdraw what others asked: the owner, the poster, collaborators, and members of teams
 * that read pull requests. NOTE: administrators of the site are no exception
 * (behaviour/pull-requests#requested-reviewers).
 */
export function canChooseReviewers(userId: UserId, { repo, posterId }: RequestPlace, grants: RepoGrants): boolean {
  if (repo.isArchived) return false
  if (userId === repo.ownerId || userId === posterId) return true
  return grants.collaboration >= AccessMode.read || grants.teams.some(readsPulls)
}

/** Why a person cannot be asked for a review, in the contract's words; undefined if he can. */
export function reviewerProblem(user: User, access: RepoAccess, { posterId }: RequestPlace): string | undefined {
  if (user.kind === 'organization') return "Organization can't be added as reviewer"
  if (user.id === posterId) return "poster of pr can't be reviewer"
  return unitMode(access, 'repo.pulls') < AccessMode.read ? "Reviewer can't read" : undefined
}

/** The same for a team of the organization; `hasRepo`: the repository is one of the team's. */
export function teamProblem(team: Team, hasRepo: boolean, { repo }: Pick<RequestPlace, 'repo'>): string | undefined {
  const canRead = !repo.isPrivate || (hasRepo && readsPulls(team))
  return canRead ? undefined : "Reviewing team can't read repo"
}

const readsPulls = ({ mode, units }: Pick<Team, 'mode' | 'units'>): boolean =>
  mode >= AccessMode.admin || (units.get('repo.pulls') ?? AccessMode.none) >= AccessMode.read
