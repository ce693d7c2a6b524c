import {
  type Expression,
  type ExpressionBuilder,
  type Insertable,
  type OnConflictBuilder,
  type RawBuilder,
  sql,
  type SqlBool,
} from 'kysely'
import { type ReadableRepo, readersOf, readersOfUnit } from '../../../../core/access/repo-readers.store.ts'
import { hasUnit, type Unit } from '../../../../core/access/repo-access.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import { asId, type IssueId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { type Issue, issueRules } from '../../../issues/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import { PARTICIPATING_KINDS } from '../subscriptions/issue-watch.store.ts'
import type { NotificationTable } from '../notifications.table.ts'
import { unreadFirst } from './thread.store.ts'

export type NotificationReason = NotificationTable['reason']

export interface Recipient {
  readonly userId: UserId
  readonly reason: NotificationReason
}

/** An issue, and the actor, who is not notified. */
export interface IssueActivity {
  readonly repo: Repo
  readonly issue: Issue
  readonly actorId: UserId
  /** The actor has just created it: it has no entries by others. */
  readonly isNew?: boolean
}

/**
 * The followers of the issue who may read it, with ids greater than `after`: subscribed users, watchers of the
 * repository unless it is a draft, and participants, except unsubscribed ones (behaviour/issues#notifications).
 */
export async function listFollowers(
  db: Db,
  { repo, issue, actorId, isNew = false }: IssueActivity,
  { after, limit }: { after: number; limit: number },
): Promise<Recipient[]> {
  const unit = issueRules.unitOf(issue)
  if (!hasUnit(repo.units, unit)) return []
  const { owner } = repo
  const shape = { ...readersShape(repo, unit), limit, isNew } satisfies FollowersShape
  const ids = { repoId: repo.id, ownerId: owner.id, issueId: issue.id, authorId: issue.authorId }
  const rows = await followers(db, { ...ids, actorId, after }, JSON.stringify(shape))
  return rows.map(({ id, reason }) => ({ userId: asId(id), reason }))
}

/** The values other than ids on which the condition for readers of an issue depends. */
interface ReadersShape extends Pick<ReadableRepo, 'isPrivate'>, Pick<ReadableRepo['owner'], 'kind' | 'visibility'> {
  readonly unit: Unit
}

const readersShape = ({ isPrivate, owner: { kind, visibility } }: ReadableRepo, unit: Unit): ReadersShape => ({
  unit,
  isPrivate,
  kind,
  visibility,
})

/** The values on which the text of the query depends. */
interface FollowersShape extends ReadersShape {
  readonly limit: number
  readonly isNew: boolean
}

interface FollowersIds {
  readonly repoId: RepoId
  readonly ownerId: UserId
  readonly issueId: IssueId
  readonly authorId: UserId
  readonly actorId: UserId
  readonly after: number
}

const followers = defineQuery(
  (db, { repoId, ownerId, issueId, authorId, actorId, after }: FollowersIds, shape: string) => {
    const { unit, limit, isNew, isPrivate, kind, visibility } = JSON.parse(shape) as FollowersShape
    const repo = { id: repoId, isPrivate, owner: { id: ownerId, kind, visibility } }
    const isAuthor = sql<boolean>`"user".id = ${authorId}`
    const wrote = sql<boolean>`exists (select 1 from timeline_entry where timeline_entry.issue_id = ${issueId}
    and timeline_entry.kind in (${sql.join(PARTICIPATING_KINDS)}) and timeline_entry.actor_id = "user".id)`
    const choice = (isWatching: 0 | 1) =>
      sql<boolean>`exists (select 1 from issue_watch where issue_watch.issue_id = ${issueId}
      and issue_watch.user_id = "user".id and issue_watch.is_watching = ${sql.lit(isWatching)})`
    return db
      .selectFrom('user')
      .select([
        'user.id',
        sql<NotificationReason>`case when ${isNew ? isAuthor : sql`${isAuthor} or ${wrote}`} then 'participating'
        when ${choice(1)} then 'subscribed' else 'watching' end`.as('reason'),
      ])
      .where(
        sql<boolean>`"user".id in (
        select watch.user_id from watch where watch.repo_id = ${repoId} and watch.mode <> 'ignored' and watch.user_id > ${after}
          and not exists (select 1 from pull where pull.issue_id = ${issueId} and pull.is_draft = 1)
        union all select issue_watch.user_id from issue_watch where issue_watch.issue_id = ${issueId} and issue_watch.is_watching = 1
        ${isNew ? sql`` : sql`union all ${authorsOf(issueId)}`}
        union all select issue.poster_id from issue where issue.id = ${issueId})`,
      )
      .where('user.id', '>', asId(after))
      .where('user.id', '<>', actorId)
      .where('user.kind', '<>', 'organization')
      .where(sql<boolean>`not ${choice(0)}`)
      .where(readersOfUnit(repo, unit))
      .orderBy('user.id')
      .limit(limit)
  },
)

/**
 * Steps through the index from one author of each kind to the next, because an issue may have many comments by few
 * authors. NOTE: one recursion for all kinds: SQLite needs ten times as long for three of them in one statement.
 */
const authorsOf = (issueId: IssueId) => {
  const kinds = PARTICIPATING_KINDS.map((kind) => sql`select ${sql.lit(kind)} as kind`)
  const nextOf = (table: 'kinds' | 'step') =>
    sql`select min(actor_id) from timeline_entry
      where issue_id = ${issueId} and timeline_entry.kind = ${sql.ref(`${table}.kind`)}`
  return sql`select author.id from (
    with recursive step (kind, id) as (
      select kinds.kind, (${nextOf('kinds')}) from (${sql.join(kinds, sql` union all `)}) as kinds
      union all select step.kind, (${nextOf('step')} and actor_id > step.id) from step where step.id is not null
    ) select id from step where id is not null) as author`
}

/** Selects the active users among `readers` who do not block the actor, without the actor. */
const mayBeNotified =
  (actorId: UserId, readers: RawBuilder<SqlBool>) =>
  (eb: ExpressionBuilder<Schema, 'user'>): Expression<SqlBool> =>
    eb.and([
      eb('user.id', '<>', actorId),
      eb('user.kind', '<>', 'organization'),
      eb('user.is_active', '=', 1),
      readers,
      eb.not(
        eb.exists(
          eb
            .selectFrom('user_block')
            .innerJoin('user as actor', 'actor.id', 'user_block.blocked_id')
            .select('user_block.blocker_id')
            .whereRef('user_block.blocker_id', '=', 'user.id')
            .where('user_block.blocked_id', '=', actorId)
            .where('actor.is_admin', '=', 0),
        ),
      ),
    ])

/** The active users of these who may read the issue and do not block the actor, without the actor. */
export async function listNotifiable(
  db: Db,
  { repo, issue, actorId }: IssueActivity,
  userIds: readonly UserId[],
): Promise<UserId[]> {
  if (userIds.length === 0) return []
  const rows = await db
    .selectFrom('user')
    .select('user.id')
    .where('user.id', 'in', userIds)
    .where(mayBeNotified(actorId, readersOf(repo, issueRules.unitOf(issue))))
    .orderBy('user.id')
    .execute()
  return rows.map((row) => asId(row.id))
}

/** Like `notifyOfIssue`, for the users that `listNotifiable` returns. */
export async function notifyUsers(
  tx: Tx,
  { repo, issue, actorId }: IssueActivity,
  { userIds, reason }: { readonly userIds: readonly UserId[]; readonly reason: NotificationReason },
  at: number,
): Promise<void> {
  const unit = issueRules.unitOf(issue)
  if (userIds.length === 0 || !hasUnit(repo.units, unit)) return
  const row = { repo_id: issue.repoId, issue_id: issue.id, kind: kindOf(issue), reason, updated_at: at }
  const ids = { repoId: repo.id, ownerId: repo.owner.id, actorId, userIds }
  await upsertUserThreads(tx, { ...row, ...ids }, JSON.stringify(readersShape(repo, unit)))
}

interface UserThreads extends Omit<NewThread, 'status' | 'user_id'> {
  readonly repoId: RepoId
  readonly ownerId: UserId
  readonly actorId: UserId
  readonly userIds: readonly UserId[]
}

const upsertUserThreads = defineQuery(
  (db, { repoId, ownerId, actorId, userIds, ...row }: UserThreads, shape: string) => {
    const { unit, isPrivate, kind, visibility } = JSON.parse(shape) as ReadersShape
    const threads = db
      .selectFrom('user')
      .select((eb) => [
        'user.id as user_id',
        eb.cast<number>(eb.val(row.repo_id), 'bigint').as('repo_id'),
        eb.cast<number>(eb.val(row.issue_id), 'bigint').as('issue_id'),
        eb.cast<NewThread['kind']>(eb.val(row.kind), 'text').as('kind'),
        sql<'unread'>`'unread'`.as('status'),
        eb.cast<NotificationReason>(eb.val(row.reason), 'text').as('reason'),
        eb.cast<number>(eb.val(row.updated_at), 'bigint').as('updated_at'),
      ])
      .where('user.id', 'in', userIds)
      .where(
        mayBeNotified(
          actorId,
          readersOfUnit({ id: repoId, isPrivate, owner: { id: ownerId, kind, visibility } }, unit),
        ),
      )
      .orderBy('user.id')
    const columns = ['user_id', 'repo_id', 'issue_id', 'kind', 'status', 'reason', 'updated_at'] as const
    return db.insertInto('notification').columns(columns).expression(threads).onConflict(unreadAgain(row.updated_at))
  },
)

type NewThread = Insertable<NotificationTable>

const kindOf = ({ isPull }: Pick<Issue, 'isPull'>) => (isPull ? ('pull' as const) : ('issue' as const))

/** Marks an existing thread as unread, unless it has an activity after `replacesUpTo`. */
const unreadAgain = (replacesUpTo: number) => (conflict: OnConflictBuilder<Schema, 'notification'>) =>
  conflict
    .columns(['issue_id', 'user_id'])
    .doUpdateSet({
      status: unreadFirst,
      reason: (eb) => eb.ref('excluded.reason'),
      updated_at: (eb) => eb.ref('excluded.updated_at'),
    })
    .where('notification.updated_at', '<=', replacesUpTo)

/**
 * The users who may accept the transfer of a repository to the account: the account itself, or members of its teams
 * that may create repositories.
 */
export async function listTransferRecipients(
  db: Db,
  { recipientId, actorId, limit }: { recipientId: UserId; actorId: UserId; limit: number },
): Promise<UserId[]> {
  const rows = await db
    .selectFrom('user')
    .select('user.id')
    .where((eb) =>
      eb.or([
        eb.and([eb('user.id', '=', recipientId), eb('user.kind', '<>', 'organization')]),
        eb(
          'user.id',
          'in',
          eb
            .selectFrom('team_member')
            .innerJoin('team', 'team.id', 'team_member.team_id')
            .select('team_member.user_id')
            .where('team_member.org_id', '=', recipientId)
            .where((team) => team.or([team('team.mode', '=', 4), team('team.can_create_org_repo', '=', 1)])),
        ),
      ]),
    )
    .where('user.id', '<>', actorId)
    .orderBy('user.id')
    .limit(limit)
    .execute()
  return rows.map((row) => asId(row.id))
}

/**
 * Inserts a thread for each recipient, or marks a read thread as unread; threads with an activity after `replacesUpTo`
 * are unchanged. Rows are written in the order of the users to avoid deadlocks.
 */
export async function notifyOfIssue(
  tx: Tx,
  issue: Issue,
  recipients: readonly Recipient[],
  { at, replacesUpTo }: { readonly at: number; readonly replacesUpTo: number },
): Promise<void> {
  if (recipients.length === 0) return
  const rows = recipients.map(({ userId, reason }) => ({
    user_id: userId,
    repo_id: issue.repoId,
    issue_id: issue.id,
    kind: kindOf(issue),
    status: 'unread' as const,
    reason,
    updated_at: at,
  }))
  await threadsOf(tx, { rows, replacesUpTo })
}

interface NewThreads {
  readonly rows: readonly NewThread[]
  readonly replacesUpTo: number
}

const threadsOf = defineQuery((db, { rows, replacesUpTo }: NewThreads) =>
  db.insertInto('notification').values(rows).onConflict(unreadAgain(replacesUpTo)),
)

/** Moves the threads of an issue that was transferred to another repository. */
export async function moveThreads(tx: Tx, issueId: IssueId, repoId: RepoId): Promise<void> {
  await tx.updateTable('notification').set({ repo_id: repoId }).where('issue_id', '=', issueId).execute()
}

/** Like `notifyOfIssue`, for the transfer of a repository. */
export async function notifyOfTransfer(tx: Tx, repoId: RepoId, userIds: readonly UserId[], at: number): Promise<void> {
  if (userIds.length === 0) return
  const changed = await tx
    .updateTable('notification')
    .set({ status: unreadFirst, updated_at: at })
    .where('repo_id', '=', repoId)
    .where('user_id', 'in', userIds)
    .where('issue_id', 'is', null)
    .returning('user_id')
    .execute()
  const known = new Set<number>(changed.map((row) => row.user_id))
  const rows = userIds
    .filter((id) => !known.has(id))
    .map((user_id) => ({
      user_id,
      repo_id: repoId,
      issue_id: null,
      kind: 'repository' as const,
      status: 'unread' as const,
      reason: 'repository-transfer' as const,
      updated_at: at,
    }))
  if (rows.length > 0) await tx.insertInto('notification').values(rows).execute()
}
