import type { SelectQueryBuilder } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Unit } from '../../../../core/access/repo-access.ts'
import { readersOf } from '../../../../core/access/repo-readers.store.ts'
import type { Repo } from '../../../repositories/index.ts'
import { issueRules } from '../../../issues/index.ts'
import { type Preferences, type User, userRows } from '../../../accounts/index.ts'
import { type IssueActivity, listNotifiable } from '../threads/recipients.store.ts'

export interface Addressee {
  readonly user: User
  readonly preferences: Preferences
}

/** Active users with an address who may read a unit of the repository. */
const mayGetMail =
  (repo: Repo, unit: Unit) =>
  <Row>(query: SelectQueryBuilder<Schema, 'user', Row>) =>
    query
      .where('user.kind', '=', 'individual')
      .where('user.is_active', '=', 1)
      .where('user.is_login_prohibited', '=', 0)
      .where('user.email', '<>', '')
      .where(readersOf(repo, unit))

/**
 * The users of these to whom a mail may be sent now: active, with an address, and able to read the issue. Followers
 * must not have unsubscribed; others must not block the actor.
 */
export async function listAddressees(
  db: Db,
  activity: IssueActivity,
  { userIds, asFollowers }: { readonly userIds: readonly UserId[]; readonly asFollowers: boolean },
): Promise<Addressee[]> {
  const { repo, issue, actorId } = activity
  const among = asFollowers ? userIds : await listNotifiable(db, activity, userIds)
  if (among.length === 0) return []
  let query = db
    .selectFrom('user')
    .selectAll()
    .where('user.id', 'in', among)
    .where('user.id', '<>', actorId)
    .$call(mayGetMail(repo, issueRules.unitOf(issue)))
  if (asFollowers)
    query = query.where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('issue_watch')
            .select('issue_watch.user_id')
            .whereRef('issue_watch.user_id', '=', 'user.id')
            .where('issue_watch.issue_id', '=', issue.id)
            .where('issue_watch.is_watching', '=', 0),
        ),
      ),
    )
  const rows = await query.orderBy('user.id').execute()
  return rows.map((row) => ({ user: userRows.toUser(row), preferences: JSON.parse(row.settings) as Preferences }))
}

/** The user, if a mail about a failed run of the repository may be sent: active, with an address, and able to read it. */
export async function findRunAddressee(db: Db, repo: Repo, id: UserId): Promise<User | undefined> {
  const row = await db
    .selectFrom('user')
    .selectAll()
    .where('user.id', '=', id)
    .$call(mayGetMail(repo, 'repo.actions'))
    .executeTakeFirst()
  const { emailNotifications = 'enabled' } = JSON.parse(row?.settings ?? '{}') as Preferences
  return row !== undefined && emailNotifications === 'enabled' ? userRows.toUser(row) : undefined
}

/** The text of a comment or a review; undefined when it was deleted. */
export async function findCommentBody(db: Db, id: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('timeline_entry')
    .select('body')
    .where('id', '=', id)
    .where('kind', 'in', ['code', 'comment', 'review'])
    .executeTakeFirst()
  return row?.body
}
