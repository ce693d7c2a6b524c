import { sql, type Selectable } from 'kysely'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { visibleRepos } from '../../../../core/access/visible-repos.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { countRows } from '../../../../core/db/page.ts'
import {
  asId,
  type IssueId,
  type NotificationId,
  type RepoId,
  type UserId,
} from '../../../../core/platform/crypto/ids.ts'
import { type Page, type Paging, totalOf } from '../../../../core/platform/paging.ts'
import type { NotificationTable } from '../notifications.table.ts'

export type ThreadStatus = NotificationTable['status']
export type ThreadKind = NotificationTable['kind']
export const THREAD_STATUSES: readonly ThreadStatus[] = ['unread', 'read', 'pinned']

/** A notification thread of a user. */
export interface Thread {
  readonly id: NotificationId
  readonly userId: UserId
  readonly repoId: RepoId
  /** Undefined for the repository itself. */
  readonly issueId: IssueId | undefined
  readonly kind: ThreadKind
  readonly status: ThreadStatus
  /** Epoch milliseconds. */
  readonly updatedAt: number
}

const toThread = (row: Selectable<NotificationTable>): Thread => ({
  id: asId(row.id),
  userId: asId(row.user_id),
  repoId: asId(row.repo_id),
  issueId: row.issue_id === null ? undefined : asId(row.issue_id),
  kind: row.kind,
  status: row.status,
  updatedAt: row.updated_at,
})

/** Selects threads of the viewer. Times are epoch milliseconds; the range includes its ends. */
export interface ThreadFilter {
  readonly viewer: Viewer
  readonly userId: UserId
  readonly statuses: readonly ThreadStatus[]
  /** Undefined for all. */
  readonly kinds?: readonly ThreadKind[] | undefined
  readonly repoId?: RepoId | undefined
  readonly since?: number | undefined
  readonly before?: number | undefined
}

const isNarrowed = (viewer: Viewer): boolean =>
  viewer.kind === 'user' && (viewer.onlyRepos !== undefined || viewer.scopes.publicOnly)

function threads(db: Db, { viewer, userId, kinds, repoId, since, before }: Omit<ThreadFilter, 'statuses'>) {
  let query = db.selectFrom('notification').where('user_id', '=', userId)
  if (repoId !== undefined) query = query.where('repo_id', '=', repoId)
  if (kinds !== undefined) query = query.where('kind', 'in', kinds)
  if (since !== undefined) query = query.where('updated_at', '>=', since)
  if (before !== undefined) query = query.where('updated_at', '<=', before)
  // Tokens restricted to public or to some repositories.
  if (isNarrowed(viewer))
    query = query.where('repo_id', 'in', (eb) =>
      eb
        .selectFrom('repo')
        .select('repo.id')
        .where((visible) => visibleRepos(viewer)(visible as never)),
    )
  return query
}

/** Latest first. */
export async function listThreads(db: Db, filter: ThreadFilter, paging: Paging): Promise<Page<Thread>> {
  const ids = await listThreadIds(db, filter, paging)
  const total = totalOf(paging, ids.length) ?? (await countThreads(db, filter))
  return { items: await listThreadsByIds(db, ids), total }
}

/**
 * NOTE: merges the first rows of each status by an index; a condition for several statuses would sort all rows of the
 * user.
 */
async function listThreadIds(
  db: Db,
  { statuses, ...filter }: ThreadFilter,
  { limit, offset }: Pick<Paging, 'limit' | 'offset'>,
): Promise<NotificationId[]> {
  const newest = statuses.map((status) =>
    db
      .selectFrom(
        threads(db, filter)
          .where('status', '=', status)
          .select(['id', 'updated_at'])
          .orderBy('updated_at', 'desc')
          .orderBy('id', 'desc')
          .limit(offset + limit)
          .as('newest'),
      )
      .select(['id', 'updated_at']),
  )
  const rows = await newest
    .slice(1)
    .reduce((all, some) => all.unionAll(some), newest[0]!)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map((row) => asId(row.id))
}

export const countThreads = (db: Db, { statuses, ...filter }: ThreadFilter): Promise<number> =>
  countRows(threads(db, filter).where('status', 'in', statuses).select('id'))

/** Threads in the order of `ids`; omits ids that do not exist. */
export async function listThreadsByIds(db: Db, ids: readonly NotificationId[]): Promise<Thread[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('notification').selectAll().where('id', 'in', ids).execute()
  const byId = new Map(rows.map((row) => [row.id, toThread(row)]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The threads of the account, in the order of `ids`, that the viewer's token can access. */
export async function listOwnThreads(
  db: Db,
  { viewer, userId }: Pick<ThreadFilter, 'userId' | 'viewer'>,
  ids: readonly NotificationId[],
): Promise<Thread[]> {
  if (ids.length === 0) return []
  const rows = await threads(db, { viewer, userId }).where('id', 'in', ids).select('id').execute()
  const reached = new Set<number>(rows.map(({ id }) => id))
  return listThreadsByIds(
    db,
    ids.filter((id) => reached.has(id)),
  )
}

/** Undefined when it does not exist or the viewer's token cannot access it. */
export async function findThread(db: Db, id: NotificationId, viewer: Viewer): Promise<Thread | undefined> {
  const [thread] = await listThreadsByIds(db, [id])
  if (thread === undefined || !isNarrowed(viewer)) return thread
  const reached = await threads(db, { viewer, userId: thread.userId }).where('id', '=', id).select('id').execute()
  return reached.length > 0 ? thread : undefined
}

/** Up to `limit` ids, latest first. */
export const listIdsToChange = (db: Db, filter: ThreadFilter, limit: number): Promise<NotificationId[]> =>
  listThreadIds(db, filter, { limit, offset: 0 })

export interface StatusChange {
  readonly from: readonly ThreadStatus[]
  readonly to: ThreadStatus
}

/** Skips threads whose status has changed since. */
export async function updateStatuses(
  tx: Tx,
  ids: readonly NotificationId[],
  { from, to }: StatusChange,
): Promise<void> {
  if (ids.length === 0) return
  await tx.updateTable('notification').set({ status: to }).where('id', 'in', ids).where('status', 'in', from).execute()
}

/** The newest comment of each of these issues that has one. */
export async function listLatestComments(db: Db, issueIds: readonly IssueId[]): Promise<Map<IssueId, number>> {
  if (issueIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('issue')
    .select((eb) => [
      'issue.id',
      eb
        .selectFrom('timeline_entry')
        .select('timeline_entry.id')
        .whereRef('timeline_entry.issue_id', '=', 'issue.id')
        .where('timeline_entry.kind', '=', 'comment')
        .orderBy('timeline_entry.created_at', 'desc')
        .orderBy('timeline_entry.id', 'desc')
        .limit(1)
        .as('comment_id'),
    ])
    .where('issue.id', 'in', issueIds)
    .execute()
  return new Map(rows.flatMap(({ id, comment_id }) => (comment_id === null ? [] : [[asId<IssueId>(id), comment_id]])))
}

/** The repositories of these with a pending transfer to the user or one of its organizations. */
export async function listOffered(db: Db, repoIds: readonly RepoId[], userId: UserId): Promise<Set<RepoId>> {
  if (repoIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('repo_transfer')
    .select('repo_id')
    .where('repo_id', 'in', repoIds)
    .where((eb) =>
      eb.or([
        eb('recipient_id', '=', userId),
        eb('recipient_id', 'in', eb.selectFrom('org_member').select('org_id').where('user_id', '=', userId)),
      ]),
    )
    .execute()
  return new Set(rows.map((row) => asId<RepoId>(row.repo_id)))
}

export const unreadFirst = sql<ThreadStatus>`case when notification.status = 'read' then 'unread' else notification.status end`
