import { sql, type Expression, type ExpressionBuilder, type Selectable, type SqlBool } from 'kysely'
import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Unit } from '../../../../core/access/repo-access.ts'
import { readsUnit, visibleRepos } from '../../../../core/access/visible-repos.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { asId, type IssueId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { inTeam } from '../../repos/lists/repo-list.store.ts'
import type { ActivityTable } from '../social.table.ts'

/** An action of a user: one entry of feeds. Times are epoch milliseconds. */
export interface Activity {
  readonly id: number
  readonly opType: string
  readonly actorId: UserId
  readonly repoId: RepoId
  readonly refName: string
  readonly content: string
  readonly commentId: number
  readonly createdAt: number
}

/** The filter of a feed; undefined members are ignored. */
export interface ActivityFilter {
  readonly actorId?: UserId | undefined
  /** Activities of this user, or in repositories that it watches. */
  readonly feedOf?: UserId | undefined
  readonly repoId?: RepoId | undefined
  /** Activities in the repositories of this user or organization. */
  readonly ownerId?: UserId | undefined
  readonly teamId?: number | undefined
  /** Activities in public repositories alone, regardless of the access of the viewer. */
  readonly publicOnly?: boolean | undefined
  /** Epoch milliseconds: from the first to before the second. */
  readonly between?: readonly [number, number] | undefined
}

const CHUNK = 50

/**
 * Inserts activities. Omits those whose actor or repository was deleted in the meantime, such as during a long push.
 */
export async function insertActivities(tx: Tx, activities: readonly NewActivity[]): Promise<void> {
  const rows = activities.map((row) => ({ ...DEFAULTS, ...row }))
  for (let at = 0; at < rows.length; at += CHUNK) await insertion(tx, { rows: rows.slice(at, at + CHUNK) })
}

const DEFAULTS = { position: 0, ref_name: '', content: '', issue_id: 0, comment_id: 0 }

type NewRow = Omit<Selectable<ActivityTable>, 'id'>
type NewActivity = Omit<NewRow, keyof typeof DEFAULTS> & Partial<typeof DEFAULTS>

const COLUMNS = {
  event_id: 'bigint',
  position: 'bigint',
  op_type: 'text',
  actor_id: 'bigint',
  repo_id: 'bigint',
  ref_name: 'text',
  content: 'text',
  issue_id: 'bigint',
  comment_id: 'bigint',
  created_at: 'bigint',
} as const satisfies Record<keyof NewRow, 'bigint' | 'text'>

const insertion = defineQuery((db, { rows }: { rows: readonly NewRow[] }) =>
  db
    .insertInto('activity')
    .columns(Object.keys(COLUMNS) as (keyof NewRow)[])
    .expression(rows.map((row) => whereItBelongs(db, row)).reduce((all, each) => all.unionAll(each))),
)

const whereItBelongs = (db: Db, row: NewRow) =>
  db
    .selectFrom('user')
    .select(
      (Object.entries(COLUMNS) as [keyof NewRow, string][]).map(([column, type]) =>
        sql`cast(${row[column]} as ${sql.raw(type)})`.as(column),
      ),
    )
    .where('user.id', '=', row.actor_id)
    .where((eb) => eb.exists(eb.selectFrom('repo').select('repo.id').where('repo.id', '=', row.repo_id)))

const MAX_DELETED = 1000

/** Deletes a batch of the oldest activities before `at`; returns their number. NOTE: ids are in the order of time. */
export async function deleteActivities(tx: Tx, at: number): Promise<number> {
  const oldest = await tx.selectFrom('activity').select(['id', 'created_at']).orderBy('id').limit(MAX_DELETED).execute()
  const ids = oldest.filter((row) => row.created_at < at).map((row) => row.id)
  if (ids.length > 0) await tx.deleteFrom('activity').where('id', 'in', ids).execute()
  return ids.length
}

/** Replaces the content of an activity, except an empty one. */
export async function updateActivityContent(tx: Tx, eventId: number, position: number, content: string): Promise<void> {
  await tx
    .updateTable('activity')
    .set({ content })
    .where('event_id', '=', eventId)
    .where('position', '=', position)
    .where('content', '!=', '')
    .execute()
}

/** Replaces the content of the activity that created a comment. */
export async function updateActivityOfComment(tx: Tx, of: OnComment, content: string): Promise<void> {
  await tx
    .updateTable('activity')
    .set({ content })
    .where('issue_id', '=', of.issueId)
    .where('comment_id', '=', of.commentId)
    .execute()
}

/** Deletes the activities on an issue, or those of one of its comments. */
export async function deleteActivitiesOn(tx: Tx, of: OnComment | Pick<OnComment, 'issueId'>): Promise<void> {
  let deletion = tx.deleteFrom('activity').where('issue_id', '=', of.issueId)
  if ('commentId' in of) deletion = deletion.where('comment_id', '=', of.commentId)
  await deletion.execute()
}

interface OnComment {
  readonly issueId: IssueId
  readonly commentId: number
}

type Builder = ExpressionBuilder<Schema & { owner: Schema['user'] }, 'activity' | 'repo' | 'owner'>

/**
 * Kinds of activities that disclose data of a unit of the repository, by unit; the other kinds contain only data that
 * every viewer of the repository may see.
 */
const KINDS_OF_UNIT = {
  'repo.code': [
    'commit_repo',
    'push_tag',
    'delete_tag',
    'delete_branch',
    'mirror_sync_create',
    'mirror_sync_delete',
    'mirror_sync_push',
  ],
  'repo.issues': ['create_issue', 'comment_issue', 'close_issue', 'reopen_issue'],
  'repo.pulls': ['create_pull_request', 'comment_pull', 'close_pull_request', 'reopen_pull_request'],
  'repo.releases': ['publish_release'],
} as const satisfies Partial<Record<Unit, readonly string[]>>

/** Newest first, of repositories and units that the viewer may see. */
export async function listActivities(
  db: Db,
  viewer: Viewer,
  filter: ActivityFilter,
  paging: Paging,
): Promise<Page<Activity>> {
  const query = inView(db, viewer, filter).selectAll('activity').orderBy('activity.id', 'desc')
  return selectPage(query, paging, (row) => ({
    id: row.id,
    opType: row.op_type,
    actorId: asId<UserId>(row.actor_id),
    repoId: asId<RepoId>(row.repo_id),
    refName: row.ref_name,
    content: row.content,
    commentId: row.comment_id,
    createdAt: row.created_at,
  }))
}

/** Counts activities per span of `spanMs`, oldest first and without empty spans; `start` in epoch milliseconds. */
export async function countActivities(
  db: Db,
  viewer: Viewer,
  filter: ActivityFilter,
  spanMs: number,
): Promise<{ start: number; count: number }[]> {
  const span = sql<number>`activity.created_at / ${sql.lit(spanMs)}`
  const rows = await inView(db, viewer, filter)
    .select((eb) => [span.as('span'), eb.fn.countAll<number>().as('count')])
    .groupBy(span)
    .orderBy('span')
    .execute()
  return rows.map((row) => ({ start: row.span * spanMs, count: row.count }))
}

const UNITS_OF_KINDS = Object.entries(KINDS_OF_UNIT) as [keyof typeof KINDS_OF_UNIT, readonly string[]][]

function inView(db: Db, viewer: Viewer, filter: ActivityFilter) {
  return db
    .selectFrom('activity')
    .innerJoin('repo', 'repo.id', 'activity.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .where((eb) => visibleRepos(viewer)(eb))
    .where((eb) =>
      eb.and(
        UNITS_OF_KINDS.map(([unit, kinds]) =>
          eb.or([eb('activity.op_type', 'not in', kinds), readsUnit(viewer, unit)]),
        ),
      ),
    )
    .where((eb) => eb.and(conditions(eb, filter)))
}

function conditions(
  eb: Builder,
  { actorId, feedOf, repoId, ownerId, teamId, publicOnly, between }: ActivityFilter,
): Expression<SqlBool>[] {
  return [
    ...(actorId === undefined ? [] : [eb('activity.actor_id', '=', actorId)]),
    ...(feedOf === undefined ? [] : [eb('activity.id', 'in', inFeedOf(eb, feedOf))]),
    ...(repoId === undefined ? [] : [eb('activity.repo_id', '=', repoId)]),
    ...(ownerId === undefined ? [] : [eb('repo.owner_id', '=', ownerId)]),
    ...(teamId === undefined ? [] : [inTeam(teamId)]),
    ...(publicOnly ? [eb('repo.is_private', '=', 0), eb('owner.visibility', '!=', 'private')] : []),
    ...(between === undefined
      ? []
      : [eb('activity.created_at', '>=', between[0]), eb('activity.created_at', '<', between[1])]),
  ]
}

/** NOTE: a union, because PostgreSQL reads the whole table for an `or` with a subquery in it. */
const inFeedOf = (eb: Builder, userId: UserId) =>
  eb
    .selectFrom('activity as own')
    .select('own.id')
    .where('own.actor_id', '=', userId)
    .union(
      eb
        .selectFrom('activity as watched')
        .innerJoin('watch', 'watch.repo_id', 'watched.repo_id')
        .select('watched.id')
        .where('watch.user_id', '=', userId)
        .where('watch.mode', '!=', 'ignored'),
    )
