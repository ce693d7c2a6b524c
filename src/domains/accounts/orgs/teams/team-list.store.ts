import { sql } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import { countRows, selectPage } from '../../../../core/db/page.ts'
import { containing, containingExactly } from '../../../../core/db/text-match.ts'
import { asId, type TeamId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type User, toUser } from '../../users/user.store.ts'
import { type Team, withUnits } from './team.store.ts'

export interface TeamFilter {
  readonly orgId?: UserId
  /** Only teams of this member. */
  readonly memberId?: UserId | undefined
  /** Only teams of public organizations. */
  readonly onlyPublicOrgs?: boolean
  /** A part of the name, or of the description with `inDescription`. */
  readonly keyword?: { readonly text: string; readonly inDescription: boolean }
}

/** A-Z by name within each organization. */
export async function listTeams(
  db: Db,
  { orgId, memberId, onlyPublicOrgs, keyword }: TeamFilter,
  paging: Paging,
): Promise<Page<Team>> {
  let query = db.selectFrom('team')
  if (orgId !== undefined) query = query.where('team.org_id', '=', orgId)
  if (memberId !== undefined)
    query = query.where('team.id', 'in', db.selectFrom('team_member').select('team_id').where('user_id', '=', memberId))
  if (onlyPublicOrgs)
    query = query.where('team.org_id', 'in', db.selectFrom('user').select('id').where('visibility', '=', 'public'))
  if (keyword !== undefined && keyword.text !== '') {
    const { text, inDescription } = keyword
    query = query.where((eb) =>
      eb.or([
        containing(eb.ref('team.lower_name'), text),
        ...(inDescription
          ? [
              containing(sql<string>`lower(team.description)`, text),
              containingExactly(eb.ref('team.description'), text),
            ]
          : []),
      ]),
    )
  }
  const { items, total } = await selectPage(query.selectAll().orderBy('lower_name').orderBy('id'), paging, (row) => row)
  return { items: await withUnits(db, items), total }
}

/** By full name, then login; those without a full name first. */
export async function listTeamMembers(db: Db, teamId: TeamId, paging: Paging): Promise<Page<User>> {
  const members = db.selectFrom('team_member').where('team_member.team_id', '=', teamId)
  const query = members
    .innerJoin('user', 'user.id', 'team_member.user_id')
    .selectAll('user')
    .orderBy('user.full_name')
    .orderBy('user.lower_name')
  return selectPage(query, paging, toUser, () => countRows(members))
}

export async function listTeamMemberIds(db: Db, teamId: TeamId): Promise<UserId[]> {
  const rows = await db.selectFrom('team_member').select('user_id').where('team_id', '=', teamId).execute()
  return rows.map((row) => asId(row.user_id))
}

export async function isInAnyTeam(db: Db, orgId: UserId, userId: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('team_member')
    .select('team_id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}
