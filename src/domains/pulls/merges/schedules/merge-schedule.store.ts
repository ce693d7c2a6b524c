import type { Selectable } from 'kysely'
import { type CredentialRestriction, formatRestriction, parseRestriction } from '../../../../core/access/authorize.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { asId, type IssueId, type PullId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { MergeAction } from '../merge-request.ts'
import type { MergeScheduleTable } from '../merges.table.ts'

export interface MergeSchedule {
  readonly pullId: PullId
  readonly issueId: IssueId
  /** The repository of the base. */
  readonly repoId: RepoId
  /** The account that merges. */
  readonly actorId: UserId
  /** The restriction of the credentials that scheduled the merge. */
  readonly restriction: CredentialRestriction | undefined
  readonly action: MergeAction
  readonly title: string
  readonly message: string
  /** Undefined for the setting of the repository. */
  readonly deletesBranch: boolean | undefined
  /** The head to merge; empty for any. */
  readonly headOid: string
  /** Epoch milliseconds. */
  readonly at: number
}

const toSchedule = (row: Selectable<MergeScheduleTable>): MergeSchedule => ({
  pullId: asId(row.pull_id),
  issueId: asId(row.issue_id),
  repoId: asId(row.repo_id),
  actorId: asId(row.actor_id),
  restriction: parseRestriction(row.restriction),
  action: row.style as MergeAction,
  title: row.title,
  message: row.message,
  deletesBranch: row.deletes_branch === '' ? undefined : row.deletes_branch === 'yes',
  headOid: row.head_oid,
  at: row.created_at,
})

export async function findSchedule(db: Db, pullId: PullId): Promise<MergeSchedule | undefined> {
  const row = await db.selectFrom('merge_schedule').selectAll().where('pull_id', '=', pullId).executeTakeFirst()
  return row && toSchedule(row)
}

/** The schedules of open pull requests of one base repository with this head, the oldest first. */
export async function listSchedulesOfHead(
  db: Db,
  { repoId, headOid }: { readonly repoId: RepoId; readonly headOid: string },
): Promise<MergeSchedule[]> {
  const rows = await db
    .selectFrom('merge_schedule')
    .innerJoin('pull', 'pull.id', 'merge_schedule.pull_id')
    .selectAll('merge_schedule')
    .where('merge_schedule.repo_id', '=', repoId)
    .where('pull.head_oid', '=', headOid)
    .where('pull.is_closed', '=', 0)
    .orderBy('merge_schedule.created_at')
    .execute()
  return rows.map(toSchedule)
}

/** The maximum number of schedules checked for one event; the next event checks the others. */
const MAX_LISTED = 200

/** The schedules of open pull requests of one base repository, oldest first. */
export const listSchedulesOfRepo = async (db: Db, repoId: RepoId): Promise<MergeSchedule[]> =>
  (await ofRepo(db, { repoId })).map(toSchedule)

const ofRepo = defineQuery((db, { repoId }: { repoId: RepoId }) =>
  db
    .selectFrom('merge_schedule')
    .innerJoin('pull', 'pull.id', 'merge_schedule.pull_id')
    .selectAll('merge_schedule')
    .where('merge_schedule.repo_id', '=', repoId)
    .where('pull.is_closed', '=', 0)
    .orderBy('merge_schedule.created_at')
    .limit(MAX_LISTED),
)

/** The schedules of open pull requests that the user reviewed or is requested to review, oldest first. */
export async function listSchedulesOfReviewer(db: Db, userId: UserId): Promise<MergeSchedule[]> {
  const rows = await db
    .selectFrom('merge_schedule')
    .innerJoin('pull', 'pull.id', 'merge_schedule.pull_id')
    .selectAll('merge_schedule')
    .where('pull.is_closed', '=', 0)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('review')
          .select('review.id')
          .whereRef('review.pull_id', '=', 'pull.id')
          .where('review.reviewer_id', '=', userId),
      ),
    )
    .orderBy('merge_schedule.created_at')
    .limit(MAX_LISTED)
    .execute()
  return rows.map(toSchedule)
}

/** The schedules of open pull requests into repositories of the owner, oldest first. */
export async function listSchedulesOfOwner(db: Db, ownerId: UserId): Promise<MergeSchedule[]> {
  const rows = await db
    .selectFrom('merge_schedule')
    .innerJoin('pull', 'pull.id', 'merge_schedule.pull_id')
    .innerJoin('repo', 'repo.id', 'merge_schedule.repo_id')
    .selectAll('merge_schedule')
    .where('pull.is_closed', '=', 0)
    .where('repo.owner_id', '=', ownerId)
    .orderBy('merge_schedule.created_at')
    .limit(MAX_LISTED)
    .execute()
  return rows.map(toSchedule)
}

/** The caller has locked the pull request and found no schedule. */
export async function insertSchedule(tx: Tx, schedule: MergeSchedule): Promise<void> {
  const { deletesBranch } = schedule
  const values = {
    pull_id: schedule.pullId,
    issue_id: schedule.issueId,
    repo_id: schedule.repoId,
    actor_id: schedule.actorId,
    restriction: formatRestriction(schedule.restriction),
    style: schedule.action,
    title: schedule.title,
    message: schedule.message,
    deletes_branch: deletesBranch === undefined ? '' : deletesBranch ? 'yes' : 'no',
    head_oid: schedule.headOid,
    created_at: schedule.at,
  }
  await tx.insertInto('merge_schedule').values(values).execute()
}

/** Returns whether a schedule existed. */
export async function deleteSchedule(tx: Tx, pullId: PullId): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('merge_schedule').where('pull_id', '=', pullId).executeTakeFirst()
  return numDeletedRows > 0n
}
