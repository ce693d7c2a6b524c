import type { Expression, ExpressionBuilder, SelectQueryBuilder, SqlBool } from 'kysely'
import type { Visibility } from '../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import { selectPage } from '../../../core/db/page.ts'
import type { Schema } from '../../../core/db/schema.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Hook, Port } from '../../../core/platform/hook.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type User, toUser } from '../users/user.store.ts'

/** The ids of the repositories of an account, as a query of the domain that owns them. */
export type OwnedRepos = Port<(db: Db, ownerId: UserId) => SelectQueryBuilder<Schema, 'repo', { id: number }>>

/** Whether an account owns packages, which a later domain registers. */
export type OwnsPackages = Hook<[tx: Tx, ownerId: UserId], true | undefined>

export interface OrgFilter {
  readonly visibilities: readonly Visibility[]
  /** Only organizations of this member. */
  readonly memberId?: UserId
  /** Only if that membership is public. */
  readonly onlyPublicMembership?: boolean
}

/** A-Z by name. */
export async function listOrgs(db: Db, filter: OrgFilter, paging: Paging): Promise<Page<User>> {
  const { memberId } = filter
  let query = db
    .selectFrom('user')
    .where('kind', '=', 'organization')
    .where('visibility', 'in', [...filter.visibilities])
  if (memberId !== undefined) query = query.where((eb) => isMember(eb, memberId, filter.onlyPublicMembership ?? false))
  return selectPage(query.selectAll().orderBy('lower_name'), paging, toUser)
}

function isMember(eb: ExpressionBuilder<Schema, 'user'>, userId: UserId, publicly: boolean): Expression<SqlBool> {
  const membership = eb
    .selectFrom('org_member')
    .select('org_member.org_id')
    .whereRef('org_member.org_id', '=', 'user.id')
    .where('org_member.user_id', '=', userId)
  return eb.exists(publicly ? membership.where('org_member.is_public', '=', 1) : membership)
}

/** The members in a list: all, members with a public membership, or these and the team-mates of one user. */
type MemberFilter = 'all' | 'public' | { readonly sharingTeamWith: UserId }

/** Paged by the time of joining; each page is sorted by login. */
export async function listMembers(db: Db, orgId: UserId, filter: MemberFilter, paging: Paging): Promise<Page<User>> {
  let query = db
    .selectFrom('org_member')
    .innerJoin('user', 'user.id', 'org_member.user_id')
    .where('org_member.org_id', '=', orgId)
  if (filter === 'public') query = query.where('org_member.is_public', '=', 1)
  else if (filter !== 'all')
    query = query.where((eb) =>
      eb.or([
        eb('org_member.is_public', '=', 1),
        eb('org_member.user_id', 'in', membersOfTeamsOf(db, orgId, filter.sharingTeamWith)),
      ]),
    )
  const inOrder = query.selectAll('user').orderBy('org_member.joined_at').orderBy('org_member.user_id')
  const { items, total } = await selectPage(inOrder, paging, toUser)
  return { items: items.toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1)), total }
}

function membersOfTeamsOf(db: Db, orgId: UserId, userId: UserId) {
  const teams = db
    .selectFrom('team_member as own')
    .select('own.team_id')
    .where('own.org_id', '=', orgId)
    .where('own.user_id', '=', userId)
  return db.selectFrom('team_member as other').select('other.user_id').where('other.team_id', 'in', teams)
}

export interface Membership {
  readonly isPublic: boolean
}

export async function findMembership(db: Db, orgId: UserId, userId: UserId): Promise<Membership | undefined> {
  const row = await db
    .selectFrom('org_member')
    .select('is_public')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && { isPublic: row.is_public === 1 }
}

/** Does nothing for a user who is already a member. */
export async function insertMember(
  tx: Tx,
  orgId: UserId,
  userId: UserId,
  membership: Membership & { readonly joinedAt: number },
): Promise<void> {
  await tx
    .insertInto('org_member')
    .values({ org_id: orgId, user_id: userId, is_public: flag(membership.isPublic), joined_at: membership.joinedAt })
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id']).doNothing())
    .execute()
}

export async function updateMemberVisibility(tx: Tx, orgId: UserId, userId: UserId, isPublic: boolean): Promise<void> {
  await tx
    .updateTable('org_member')
    .set({ is_public: flag(isPublic) })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .execute()
}

export async function deleteMember(tx: Tx, orgId: UserId, userId: UserId): Promise<void> {
  await tx.deleteFrom('team_member').where('org_id', '=', orgId).where('user_id', '=', userId).execute()
  await tx.deleteFrom('org_member').where('org_id', '=', orgId).where('user_id', '=', userId).execute()
}
