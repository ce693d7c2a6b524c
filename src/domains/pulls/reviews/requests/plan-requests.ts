import { loadRepoGrants } from '../../../../core/access/repo-grants.store.ts'
import { NO_GRANTS } from '../../../../core/access/repo-access.ts'
import { type SignedIn, viewerOfAccount } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { type DomainError, invalid, notFound, forbidden } from '../../../../core/platform/errors.ts'
import { type Team, type User, teamQueries, userQueries } from '../../../accounts/index.ts'
import { protectionQueries } from '../../../code/index.ts'
import { type Repo, accessQueries, collaboratorQueries } from '../../../repositories/index.ts'
import { canChooseReviewers, type ReviewTarget, reviewerProblem, teamProblem } from '../reviews.policy.ts'
import { flag } from '../../../../core/db/flag.ts'
import { timelineQueries } from '../../../issues/index.ts'
import type { PullChange } from '../../pulls/lifecycle/pull-change.ts'
import { restoreOfficial } from '../records/records.store.ts'
import { deleteReview, insertReview, type Review } from '../records/review.store.ts'
import { appendReviewEvent } from '../reviews.events.ts'
import { type RequestedReviewer, clearOfficial, findRequest, hasReviewed } from './request.store.ts'

/** A user or a team. */
export type Reviewer =
  { readonly user: User; readonly team?: undefined } | { readonly team: Team; readonly user?: undefined }

/** The account with a login, otherwise with an activated e-mail address. Throws NotFound. */
async function findReviewer(db: Db, viewer: SignedIn, repo: Repo, name: string): Promise<User> {
  const user = (await userQueries.findByName(db, name)) ?? (await userQueries.findByEmail(db, name))
  if (user === undefined || !(await collaboratorQueries.mayName(db, viewer, repo, user)))
    throw notFound(`User '${name}' not exist`)
  return user
}

/** The team of the owner. Throws NotFound. */
async function findReviewingTeam(db: Db, repo: Repo, name: string): Promise<Team> {
  const team = await teamQueries.findByName(db, repo.ownerId, name)
  if (team === undefined) throw notFound(`Team '${name}' not exist`)
  return team
}

/**
 * Finds reviewers without duplicates, users first. Ignores teams when the owner is a user. Throws NotFound for the
 * first unknown name.
 */
export async function findReviewers(
  db: Db,
  viewer: SignedIn,
  repo: Repo,
  wanted: { readonly reviewers: readonly string[]; readonly teams: readonly string[] },
): Promise<Reviewer[]> {
  const users = new Map<number, Reviewer>()
  for (const name of wanted.reviewers) {
    const user = await findReviewer(db, viewer, repo, name)
    users.set(user.id, { user })
  }
  const teams = new Map<number, Reviewer>()
  if (repo.owner.kind === 'organization')
    for (const name of wanted.teams) {
      const team = await findReviewingTeam(db, repo, name)
      teams.set(team.id, { team })
    }
  return [...users.values(), ...teams.values()]
}

/** An allowed request. */
export interface PlannedRequest {
  readonly reviewer: Reviewer
  /** The review would count for the protection of the base branch. */
  readonly isOfficial: boolean
}

/** The refusal of a request, with a message that clients parse. */
export const refusal = (text: string, actor: SignedIn, { repo }: Pick<ReviewTarget, 'repo'>): DomainError =>
  invalid(`${text} [user_id: ${actor.account.id}, repo_id: ${repo.id}]`)

export async function mayChooseReviewers(read: Db, actor: SignedIn, position: ReviewTarget): Promise<boolean> {
  const { id } = actor.account
  const grants = (await loadRepoGrants(read, id, [position.repo])).get(position.repo.id) ?? NO_GRANTS
  return canChooseReviewers(id, position, grants)
}

/** Why the reviewer cannot be requested, in the words of the API; undefined when allowed. */
export async function findProblem(read: Db, position: ReviewTarget, reviewer: Reviewer): Promise<string | undefined> {
  const { user, team } = reviewer
  if (team !== undefined) return teamProblem(team, await teamQueries.hasRepo(read, team, position.repo), position)
  return reviewerProblem(user, await accessQueries.load(read, viewerOfAccount(user), position.repo), position)
}

/** NOTE: do not call within a transaction: matching branch names with patterns may take long. */
export async function planRequest(read: Db, position: ReviewTarget, reviewer: Reviewer): Promise<PlannedRequest> {
  const { repo, baseBranch } = position
  const { user, team } = reviewer
  const isOfficial =
    team === undefined
      ? await protectionQueries.isOfficialReviewer(read, repo, baseBranch, user)
      : await protectionQueries.isOfficialTeam(read, repo, baseBranch, team)
  return { reviewer, isOfficial }
}

const requestedReviewerOf = ({ user, team }: Reviewer): RequestedReviewer => ({
  userId: user?.id ?? 0,
  teamId: team?.id ?? 0,
})

/**
 * Requests a review; undefined if an open request exists. A user who has reviewed is requested again: the reviews stay,
 * but those of an official reviewer no longer count. Throws Forbidden for such a user once the pull request is closed.
 */
export async function recordRequest(
  change: PullChange,
  { reviewer, isOfficial }: PlannedRequest,
): Promise<Review | undefined> {
  const { tx, issue, pull, at } = change
  const requested = requestedReviewerOf(reviewer)
  if ((await findRequest(tx, pull.id, requested)) !== undefined) return undefined
  if (requested.userId !== 0) {
    if (issue.isClosed && (await hasReviewed(tx, pull.id, requested.userId)))
      throw forbidden('a review of a closed or merged pull request cannot be requested again')
    if (isOfficial) await clearOfficial(tx, pull.id, requested.userId)
  }
  const review = await insertReview(tx, {
    pull_id: pull.id,
    issue_id: issue.id,
    kind: 'request',
    reviewer_id: requested.userId,
    team_id: requested.teamId,
    is_official: flag(isOfficial),
    created_at: at,
    updated_at: at,
  })
  await addEntry(change, requested, { reviewId: review.id, isRemoved: false })
  await appendReviewEvent(change, 'review.requested', payloadOf(requested, review.id))
  return review
}

/** Withdraws a request, if there is one: the reviewer's earlier review counts again. The timeline shows both. */
export async function recordRequestDeletion(change: PullChange, reviewer: Reviewer): Promise<void> {
  const { tx, pull } = change
  const requested = requestedReviewerOf(reviewer)
  const request = await findRequest(tx, pull.id, requested)
  if (request === undefined) return
  await deleteReview(tx, request.id)
  if (request.isOfficial && requested.userId !== 0)
    await restoreOfficial(tx, { id: request.id, pullId: pull.id, reviewerId: requested.userId })
  await addEntry(change, requested, { reviewId: request.id, isRemoved: true })
  await appendReviewEvent(change, 'review.request_deleted', payloadOf(requested, request.id))
}

const payloadOf = ({ userId, teamId }: RequestedReviewer, reviewId: number) => ({
  review_id: reviewId,
  user_id: userId,
  team_id: teamId,
})

function addEntry(
  { tx, issue, actor, at }: PullChange,
  { userId, teamId }: RequestedReviewer,
  facts: { readonly reviewId: number; readonly isRemoved: boolean },
): Promise<void> {
  const payload = { ...facts, isTeam: teamId !== 0 }
  const entry = { kind: 'review_request' as const, targetId: userId || teamId, payload }
  return timelineQueries.record(tx, { issue, actorId: actor.account.id, at }, entry)
}
