import type { Selectable } from 'kysely'
import type { Viewer } from '../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { asId, type IssueId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { readableIssues } from '../issues/readable-issues.store.ts'
import type { StopwatchTable } from './times.table.ts'

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
