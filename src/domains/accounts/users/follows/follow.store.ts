import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { cachedPage } from '../../../../core/db/page.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { isVisible, type UserVisibility, usersInOrder } from '../user-list.store.ts'
import { addToUserCounter, type User } from '../user.store.ts'

export async function isFollowing(db: Db, userId: UserId, followedId: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('follow')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('followed_id', '=', followedId)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns false without a change when the user already follows the account. */
export async function insertFollow(tx: Tx, userId: UserId, followedId: UserId, at: number): Promise<boolean> {
  const row = await tx
    .insertInto('follow')
    .values({ user_id: userId, followed_id: followedId, created_at: at })
    .onConflict((conflict) => conflict.columns(['user_id', 'followed_id']).doNothing())
    .returning('user_id')
    .executeTakeFirst()
  if (row !== undefined) await countFollow(tx, userId, followedId, 1)
  return row !== undefined
}

/** Returns false without a change when the user does not follow the account. */
export async function deleteFollow(tx: Tx, userId: UserId, followedId: UserId): Promise<boolean> {
  const row = await tx
    .deleteFrom('follow')
    .where('user_id', '=', userId)
    .where('followed_id', '=', followedId)
    .returning('user_id')
    .executeTakeFirst()
  if (row !== undefined) await countFollow(tx, userId, followedId, -1)
  return row !== undefined
}

/** NOTE: updates the lower id first, so that two users who follow each other at the same time do not deadlock. */
async function countFollow(tx: Tx, userId: UserId, followedId: UserId, step: 1 | -1): Promise<void> {
  const following = () => addToUserCounter(tx, userId, 'following_count', step)
  const followers = () => addToUserCounter(tx, followedId, 'followers_count', step)
  for (const count of userId < followedId ? [following, followers] : [followers, following]) await count()
}

/** Individuals who follow the user, oldest follow first. */
export function listFollowers(db: Db, userId: UserId, visibility: UserVisibility, paging: Paging): Promise<Page<User>> {
  // NOTE: with a cross join SQLite scans the followers; with an inner join it scans all individuals.
  const query = db
    .selectFrom('follow')
    .crossJoin('user')
    .whereRef('user.id', '=', 'follow.user_id')
    .where('follow.followed_id', '=', userId)
    .where('user.kind', '=', 'individual')
  return pageOfUsers(db, query, visibility, paging)
}

/** Users and organizations that the user follows, oldest follow first. */
export function listFollowing(db: Db, userId: UserId, visibility: UserVisibility, paging: Paging): Promise<Page<User>> {
  const query = db
    .selectFrom('follow')
    .innerJoin('user', 'user.id', 'follow.followed_id')
    .where('follow.user_id', '=', userId)
  return pageOfUsers(db, query, visibility, paging)
}

type FollowQuery = SelectQueryBuilder<Schema, 'follow' | 'user', object>

function pageOfUsers(db: Db, all: FollowQuery, visibility: UserVisibility, paging: Paging): Promise<Page<User>> {
  const query =
    visibility.visibilities === undefined
      ? all
      : all.where((eb) =>
          eb.or([
            isVisible(eb as unknown as ExpressionBuilder<Schema, 'user'>, visibility),
            ...memberOf(eb, visibility),
            ...acquaintances(eb, visibility),
          ]),
        )
  return cachedPage(db, query.select('user.id').orderBy('follow.created_at').orderBy('user.id'), {
    paging,
    load: (rows) =>
      usersInOrder(
        db,
        rows.map((row) => asId(row.id)),
      ),
  })
}

function memberOf(eb: ExpressionBuilder<Schema, 'follow' | 'user'>, { self }: UserVisibility) {
  if (self === undefined) return []
  return [
    eb.exists(
      eb
        .selectFrom('org_member')
        .select('org_member.org_id')
        .whereRef('org_member.org_id', '=', 'user.id')
        .where('org_member.user_id', '=', self),
    ),
  ]
}

function acquaintances(
  eb: ExpressionBuilder<Schema, 'follow' | 'user'>,
  { self, includesAcquaintances = false }: UserVisibility,
) {
  if (self === undefined || !includesAcquaintances) return []
  const sharedTeams = eb
    .selectFrom('team_member as theirs')
    .innerJoin('team_member as own', 'own.team_id', 'theirs.team_id')
    .select('theirs.team_id')
    .whereRef('theirs.user_id', '=', 'user.id')
    .where('own.user_id', '=', self)
  return [
    eb.exists(
      eb
        .selectFrom('follow as theirs')
        .select('theirs.user_id')
        .whereRef('theirs.user_id', '=', 'user.id')
        .where('theirs.followed_id', '=', self),
    ),
    eb.exists(sharedTeams),
  ]
}
