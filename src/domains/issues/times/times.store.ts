import type { Selectable } from 'kysely'
import type { Viewer } from '../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { asId, type IssueId, type UserId, type RepoId } from '../../../core/platform/crypto/ids.ts'
import { readableIssues } from '../issues/readable-issues.store.ts'
import { type OriginalAuthor, toOriginalAuthor } from '../../../core/db/original-author.ts'
import type { StopwatchTable, TrackedTimeTable } from './times.table.ts'
import { selectPage } from '../../../core/db/page.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'

export interface Stopwatch {
  readonly userId: UserId
  readonly issueId: IssueId
  /** Epoch milliseconds. */
  readonly startedAt: number
}

const toStopwatch = (row: Selectable<StopwatchTable>): Stopwatch => ({
  userId: asId(row.user_id),
  issueId: asId(row.issue_id),
  startedAt: row.started_at,
})

export async function findStopwatch(db: Db, userId: UserId): Promise<Stopwatch | undefined> {
  const row = await db.selectFrom('stopwatch').selectAll().where('user_id', '=', userId).executeTakeFirst()
  return row && toStopwatch(row)
}

/** The user's stopwatch, unless it runs on an issue that the viewer may not read. */
export async function findReadableStopwatch(db: Db, viewer: Viewer, userId: UserId): Promise<Stopwatch | undefined> {
  const row = await db
    .selectFrom('stopwatch')
    .innerJoin('issue', 'issue.id', 'stopwatch.issue_id')
    .innerJoin('repo', 'repo.id', 'issue.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .selectAll('stopwatch')
    .where('stopwatch.user_id', '=', userId)
    .where((eb) => readableIssues(viewer)(eb as never))
    .executeTakeFirst()
  return row && toStopwatch(row)
}

export async function insertStopwatch(tx: Tx, { userId, issueId, startedAt }: Stopwatch): Promise<void> {
  await tx.insertInto('stopwatch').values({ user_id: userId, issue_id: issueId, started_at: startedAt }).execute()
}

/** Deletes the user's stopwatch if it runs on the issue; returns it. */
export async function deleteStopwatch(tx: Tx, userId: UserId, issueId: IssueId): Promise<Stopwatch | undefined> {
  const row = await tx
    .deleteFrom('stopwatch')
    .where('user_id', '=', userId)
    .where('issue_id', '=', issueId)
    .returningAll()
    .executeTakeFirst()
  return row && toStopwatch(row)
}

export interface TrackedTime {
  readonly id: number
  readonly issueId: IssueId
  /** The account may have been deleted. */
  readonly userId: UserId
  /** Undefined unless imported. */
  readonly originalAuthor?: OriginalAuthor | undefined
  readonly seconds: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Undefined members do not filter. */
export interface TimeFilter {
  readonly issueId?: IssueId | undefined
  readonly repoId?: RepoId | undefined
  readonly userId?: UserId | undefined
  /** Epoch milliseconds; an inclusive span in whole seconds. */
  readonly since?: number | undefined
  readonly before?: number | undefined
}

const toTime = (row: Selectable<TrackedTimeTable>): TrackedTime => ({
  id: row.id,
  issueId: asId(row.issue_id),
  userId: asId(row.user_id),
  originalAuthor: toOriginalAuthor(row),
  seconds: row.seconds,
  createdAt: row.created_at,
})

const wholeSecond = (time: number): number => Math.floor(time / 1000) * 1000

/** Times of issues that the viewer may read, in the order of their creation. */
function timesOf(db: Db, viewer: Viewer, { issueId, repoId, userId, since, before }: TimeFilter) {
  let query = db
    .selectFrom('tracked_time')
    .innerJoin('issue', 'issue.id', 'tracked_time.issue_id')
    .innerJoin('repo', 'repo.id', 'issue.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .selectAll('tracked_time')
    .where((eb) => readableIssues(viewer)(eb as never))
  if (issueId !== undefined) query = query.where('tracked_time.issue_id', '=', issueId)
  if (repoId !== undefined) query = query.where('tracked_time.repo_id', '=', repoId)
  if (userId !== undefined) query = query.where('tracked_time.user_id', '=', userId)
  if (since !== undefined) query = query.where('tracked_time.created_at', '>=', wholeSecond(since))
  if (before !== undefined) query = query.where('tracked_time.created_at', '<', wholeSecond(before) + 1000)
  return query.orderBy('tracked_time.id')
}

export const listTimes = (db: Db, viewer: Viewer, filter: TimeFilter, paging: Paging): Promise<Page<TrackedTime>> =>
  selectPage(timesOf(db, viewer, filter), paging, toTime)

export const listAllTimes = async (db: Db, viewer: Viewer, filter: TimeFilter): Promise<TrackedTime[]> =>
  (await timesOf(db, viewer, filter).execute()).map(toTime)

/** Times in no particular order; omits unknown ids. */
export async function listTimesByIds(db: Db, ids: readonly number[]): Promise<TrackedTime[]> {
  if (ids.length === 0) return []
  return (await db.selectFrom('tracked_time').selectAll().where('id', 'in', ids).execute()).map(toTime)
}

export async function findTime(db: Db, issueId: IssueId, id: number): Promise<TrackedTime | undefined> {
  const row = await db
    .selectFrom('tracked_time')
    .selectAll()
    .where('id', '=', id)
    .where('issue_id', '=', issueId)
    .executeTakeFirst()
  return row && toTime(row)
}

export async function insertTime(
  tx: Tx,
  { repoId, issueId, userId, seconds, createdAt }: Omit<TrackedTime, 'id'> & { readonly repoId: RepoId },
): Promise<TrackedTime> {
  const row = await tx
    .insertInto('tracked_time')
    .values({ repo_id: repoId, issue_id: issueId, user_id: userId, seconds, created_at: createdAt })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toTime(row)
}

/** Returns whether the time existed. */
export async function deleteTime(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('tracked_time').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes the user's times of the issue; returns the seconds of each. */
export async function deleteTimesOf(tx: Tx, issueId: IssueId, userId: UserId): Promise<number[]> {
  const rows = await tx
    .deleteFrom('tracked_time')
    .where('issue_id', '=', issueId)
    .where('user_id', '=', userId)
    .returning('seconds')
    .execute()
  return rows.map((row) => row.seconds)
}

/** Updates the repository of a transferred issue's times. */
export async function moveTimes(tx: Tx, issueId: IssueId, repoId: RepoId): Promise<void> {
  await tx.updateTable('tracked_time').set({ repo_id: repoId }).where('issue_id', '=', issueId).execute()
}
