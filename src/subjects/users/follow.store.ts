import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'
import { asId, type UserId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import { inSight, type UserSight, usersInOrder } from './user-list.store.ts'
import { addToUserCounter, type User } from './user.store.ts'

export async function isFollowing(db: Db, userId: UserId, followedId: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('follow')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('followed_id', '=', followedId)
    .executeTakeFirst()
  return row !== undefined
}

/** False, and nothing changes, when the user follows already. */
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

/** False, and nothing changes, when the user does not follow. */
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

/** NOTE: the lower id first, so that two who follow each other at the same time cannot deadlock. */
async function countFollow(tx: Tx, userId: UserId, followedId: UserId, step: 1 | -1): Promise<void> {
  const following = () => addToUserCounter(tx, userId, 'following_count', step)
  const followers = () => addToUserCounter(tx, followedId, 'followers_count', step)
  for (const count of userId < followedId ? [following, followers] : [followers, following]) await count()
}

/** Individuals who follow the user, in the order in which they began to. */
export function listFollowers(db: Db, userId: UserId, sight: UserSight, paging: Paging): Promise<Page<User>> {
  // NOTE: with a cross join SQLite begins with the followers; it would begin with all individuals.
  const query = db
    .selectFrom('follow')
    .crossJoin('user')
    .whereRef('user.id', '=', 'follow.user_id')
    .where('follow.followed_id', '=', userId)
    .where('user.kind', '=', 'individual')
  return page(db, query, sight, paging)
}

/** Users and organizations that the user follows, in the order in which it began to. */
export function listFollowing(db: Db, userId: UserId, sight: UserSight, paging: Paging): Promise<Page<User>> {
  const query = db
    .selectFrom('follow')
    .innerJoin('user', 'user.id', 'follow.followed_id')
    .where('follow.user_id', '=', userId)
  return page(db, query, sight, paging)
}

type FollowQuery = SelectQueryBuilder<Schema, 'follow' | 'user', object>

async function page(db: Db, all: FollowQuery, sight: UserSight, paging: Paging): Promise<Page<User>> {
  const query =
    sight.visibilities === undefined
      ? all
      : all.where((eb) =>
          eb.or([
            inSight(eb as unknown as ExpressionBuilder<Schema, 'user'>, sight),
            ...memberOf(eb, sight),
            ...acquaintances(eb, sight),
          ]),
        )
  const rows = await query
    .select('user.id')
    .orderBy('follow.created_at')
    .orderBy('user.id')
    .limit(paging.limit)
    .offset(paging.offset)
    .execute()
  const { total } = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return {
    items: await usersInOrder(
      db,
      rows.map((row) => asId<UserId>(row.id)),
    ),
    total,
  }
}

function memberOf(eb: ExpressionBuilder<Schema, 'follow' | 'user'>, { self }: UserSight) {
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
  { self, acquaintances: counted = false }: UserSight,
) {
  if (self === undefined || !counted) return []
  const mates = eb
    .selectFrom('team_member as mate')
    .innerJoin('team_member as mine', 'mine.team_id', 'mate.team_id')
    .select('mate.team_id')
    .whereRef('mate.user_id', '=', 'user.id')
    .where('mine.user_id', '=', self)
  return [
    eb.exists(
      eb
        .selectFrom('follow as theirs')
        .select('theirs.user_id')
        .whereRef('theirs.user_id', '=', 'user.id')
        .where('theirs.followed_id', '=', self),
    ),
    eb.exists(mates),
  ]
}
