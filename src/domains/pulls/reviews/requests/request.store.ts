import type { Db, Tx } from '../../../../core/db/database.ts'
import {
  type PullId,
  type RepoId,
  type ReviewId,
  type TeamId,
  type UserId,
  asId,
} from '../../../../core/platform/crypto/ids.ts'

/** Whom a request asks: 0 for the member that does not apply. */
export interface Asked {
  readonly userId: UserId | 0
  readonly teamId: TeamId | 0
}

/** The open request of a person or a team. */
export async function findRequest(
  db: Db,
  pullId: PullId,
  { userId, teamId }: Asked,
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

/** Whether the person has submitted a review. */
export async function hasReviewed(db: Db, pullId: PullId, userId: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('review')
    .select('id')
    .where('pull_id', '=', pullId)
    .where('reviewer_id', '=', userId)
    .where('kind', 'in', ['approved', 'rejected', 'comment'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** No review of the person counts any more. */
export async function clearOfficial(tx: Tx, pullId: PullId, userId: UserId): Promise<void> {
  await tx
    .updateTable('review')
    .set({ is_official: 0 })
    .where('pull_id', '=', pullId)
    .where('reviewer_id', '=', userId)
    .where('is_official', '=', 1)
    .execute()
}

/** Of these persons, those who have a review or an open request. */
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
    .execute()
  return new Set(rows.map((row) => asId<UserId>(row.reviewer_id)))
}

/** The open requests of an account and of the teams of an organization that are deleted. */
export async function deleteRequestsOfAccount(tx: Tx, id: UserId): Promise<void> {
  const requests = tx.deleteFrom('review').where('kind', '=', 'request')
  await requests.where('reviewer_id', '=', id).execute()
  await requests.where('team_id', 'in', tx.selectFrom('team').select('id').where('org_id', '=', id)).execute()
}

export async function deleteRequestsOfTeam(tx: Tx, id: TeamId): Promise<void> {
  await tx.deleteFrom('review').where('kind', '=', 'request').where('team_id', '=', id).execute()
}

/** The open requests of teams in a repository that leaves their organization. */
export async function deleteTeamRequestsIn(tx: Tx, repoId: RepoId): Promise<void> {
  const pulls = tx.selectFrom('pull').select('id').where('base_repo_id', '=', repoId)
  await tx.deleteFrom('review').where('pull_id', 'in', pulls).where('team_id', '>', 0).execute()
}
