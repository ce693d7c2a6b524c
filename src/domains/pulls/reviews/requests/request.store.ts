import type { Db, Tx } from '../../../../core/db/database.ts'
import {
  type PullId,
  type RepoId,
  type ReviewId,
  type TeamId,
  type UserId,
  asId,
} from '../../../../core/platform/crypto/ids.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { Repo } from '../../../repositories/index.ts'
import { isShown } from '../records/review.store.ts'

/** The reviewer of a request: one of the members is 0. */
export interface RequestedReviewer {
  readonly userId: UserId | 0
  readonly teamId: TeamId | 0
}

/** The open request of a user or a team. */
export async function findRequest(
  db: Db,
  pullId: PullId,
  { userId, teamId }: RequestedReviewer,
): Promise<{ readonly id: ReviewId; readonly isOfficial: boolean } | undefined> {
  const row = await db
    .selectFrom('review')
    .select(['id', 'is_official'])
    .where('pull_id', '=', pullId)
    .where('reviewer_id', '=', userId)
    .where('team_id', '=', teamId)
    .where('kind', '=', 'request')
    .executeTakeFirst()
  return row && { id: asId(row.id), isOfficial: row.is_official === 1 }
}

/** Whether the user has submitted a review. */
export async function hasReviewed(db: Db, pullId: PullId, userId: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('review')
    .select('id')
    .where('pull_id', '=', pullId)
    .where('reviewer_id', '=', userId)
    .where('original_author', '=', '')
    .where('kind', 'in', ['approved', 'rejected', 'comment'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Clears the official mark of all reviews of the user. */
export async function clearOfficial(tx: Tx, pullId: PullId, userId: UserId): Promise<void> {
  await tx
    .updateTable('review')
    .set({ is_official: 0 })
    .where('pull_id', '=', pullId)
    .where('reviewer_id', '=', userId)
    .where('is_official', '=', 1)
    .execute()
}

/** The users among these who have a review or an open request. */
export async function listReviewersAmong(
  db: Db,
  pullId: PullId,
  userIds: readonly UserId[],
): Promise<ReadonlySet<UserId>> {
  if (userIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('review')
    .select('reviewer_id')
    .distinct()
    .where('pull_id', '=', pullId)
    .where('reviewer_id', 'in', userIds)
    .where('original_author', '=', '')
    .execute()
  return new Set(rows.map((row) => asId<UserId>(row.reviewer_id)))
}

/** Deletes the open requests of a deleted account and of the teams of a deleted organization. */
export async function deleteRequestsOfAccount(tx: Tx, id: UserId): Promise<void> {
  const requests = tx.deleteFrom('review').where('kind', '=', 'request')
  await requests.where('reviewer_id', '=', id).execute()
  await requests.where('team_id', 'in', tx.selectFrom('team').select('id').where('org_id', '=', id)).execute()
}

export async function deleteRequestsOfTeam(tx: Tx, id: TeamId): Promise<void> {
  await tx.deleteFrom('review').where('kind', '=', 'request').where('team_id', '=', id).execute()
}

/** Deletes the open requests of teams in a repository that leaves their organization. */
export async function deleteTeamRequestsIn(tx: Tx, repoId: RepoId): Promise<void> {
  const pulls = tx.selectFrom('pull').select('id').where('base_repo_id', '=', repoId)
  await tx.deleteFrom('review').where('pull_id', 'in', pulls).where('team_id', '>', 0).execute()
}

interface NewestReview {
  readonly pullId: PullId
  /** Undefined for a team. */
  readonly reviewerId: UserId | undefined
  readonly teamId: TeamId | undefined
}

/** The numbers of reviews of each pull request; see `countReviews`. */
export interface ReviewCounts {
  readonly pullId: PullId
  /** Whether there is a review or a request. */
  readonly hasReviews: boolean
  /**
   * The number of submissions of reviews; each submission to a pending review counts, requests do not
   * (behaviour/pull-requests#the-pullrequest-object).
   */
  readonly submissions: number
}

/** Counts the reviews of existing pull requests; one query. */
export async function countReviews(db: Db, pullIds: readonly PullId[]): Promise<readonly ReviewCounts[]> {
  if (pullIds.length === 0) return []
  const rows = await counts(db, { pullIds })
  return rows.map(({ id, submissions, reviewed }) => ({
    pullId: asId(id),
    hasReviews: reviewed !== null,
    submissions: Number(submissions ?? 0),
  }))
}

const counts = defineQuery((db, { pullIds }: { pullIds: readonly PullId[] }) =>
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
    .where('pull.id', 'in', pullIds),
)

/**
 * The newest undismissed review or request of each user and team in pull requests of one repository, oldest change
 * first. See `isShown`.
 */
export async function listNewestReviews(db: Db, repo: Repo, pullIds: readonly PullId[]): Promise<NewestReview[]> {
  if (pullIds.length === 0) return []
  const newest = db
    .selectFrom('review')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('pull_id', 'in', pullIds)
    .where('kind', 'in', ['approved', 'comment', 'rejected', 'request'])
    .where('original_author', '=', '')
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
