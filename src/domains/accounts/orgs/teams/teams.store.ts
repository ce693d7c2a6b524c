import { type Expression, sql } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { countRows, selectPage } from '../../../../core/db/page.ts'
import { containing, containingExactly } from '../../../../core/db/text-match.ts'
import { asId, type TeamId, type UserId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type User, toUser } from '../../users/user.store.ts'
import { type Team, withUnits } from './team.store.ts'
import { AccessMode } from '../../../../core/access/repo-access.ts'

export interface TeamFilter {
  readonly orgId?: UserId
  /** Only teams of this member. */
  readonly memberId?: UserId | undefined
  /** Only teams that this member of the organization sees: its own, and those that are not private. */
  readonly seenBy?: UserId | undefined
  /** Only teams of public organizations. */
  readonly onlyPublicOrgs?: boolean
  /** A part of the name, or of the description with `inDescription`. */
  readonly keyword?: { readonly text: string; readonly inDescription: boolean }
}

/** A-Z by name within each organization. */
export async function listTeams(
  db: Db,
  { orgId, memberId, seenBy, onlyPublicOrgs, keyword }: TeamFilter,
  paging: Paging,
): Promise<Page<Team>> {
  let query = db.selectFrom('team')
  if (orgId !== undefined) query = query.where('team.org_id', '=', orgId)
  const ofMember = (userId: UserId) => db.selectFrom('team_member').select('team_id').where('user_id', '=', userId)
  if (memberId !== undefined) query = query.where('team.id', 'in', ofMember(memberId))
  if (seenBy !== undefined)
    query = query.where((eb) => eb.or([eb('team.visibility', '!=', 'private'), eb('team.id', 'in', ofMember(seenBy))]))
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

/** Ordered by full name, then login; users without a full name come first. */
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

/** Whether the team has the repository: by `includesAllRepositories` or by a row. */
export async function hasTeamRepo(
  db: Db,
  team: Team,
  repo: { readonly id: RepoId; readonly ownerId: number },
): Promise<boolean> {
  if (repo.ownerId !== team.orgId) return false
  if (team.includesAllRepositories) return true
  const row = await db
    .selectFrom('team_repo')
    .select('team_id')
    .where('team_id', '=', team.id)
    .where('repo_id', '=', repo.id)
    .executeTakeFirst()
  return row !== undefined
}

/** Does nothing when the row exists. */
export async function insertTeamRepo(tx: Tx, team: Team, repoId: RepoId): Promise<void> {
  await tx
    .insertInto('team_repo')
    .values({ team_id: team.id, org_id: team.orgId, repo_id: repoId })
    .onConflict((conflict) => conflict.columns(['team_id', 'repo_id']).doNothing())
    .execute()
}

export async function deleteTeamRepo(tx: Tx, team: Team, repoId: RepoId): Promise<void> {
  await tx.deleteFrom('team_repo').where('team_id', '=', team.id).where('repo_id', '=', repoId).execute()
}

/** Inserts a row for each of the repositories, before `includes_all_repositories` is turned off. */
export async function insertTeamRepos(tx: Tx, team: Team, repos: Expression<{ id: number }>): Promise<void> {
  await tx
    .insertInto('team_repo')
    .columns(['team_id', 'org_id', 'repo_id'])
    .expression((eb) =>
      eb
        .selectFrom('team')
        .innerJoin(sql<{ id: number }>`(${repos})`.as('owned'), (join) => join.onTrue())
        .select(['team.id', 'team.org_id', 'owned.id as repo_id'])
        .where('team.id', '=', team.id),
    )
    .onConflict((conflict) => conflict.columns(['team_id', 'repo_id']).doNothing())
    .execute()
}

/** Every team of the organization that has the repository: Owners first, then A-Z. */
export async function listTeamsOfRepo(
  db: Db,
  repo: { readonly id: RepoId; readonly ownerId: UserId },
): Promise<Team[]> {
  const named = db.selectFrom('team_repo').select('team_id').where('repo_id', '=', repo.id)
  const rows = await db
    .selectFrom('team')
    .selectAll()
    .where('org_id', '=', repo.ownerId)
    .where((eb) => eb.or([eb('includes_all_repositories', '=', 1), eb('id', 'in', named)]))
    .orderBy(sql`case when mode = ${AccessMode.owner} then 0 else 1 end`)
    .orderBy('lower_name')
    .execute()
  return withUnits(db, rows)
}

/** Teams of any organization, in order of id; ids without a row are omitted. */
export async function listTeamsByIds(db: Db, ids: readonly TeamId[]): Promise<Team[]> {
  if (ids.length === 0) return []
  return withUnits(db, await db.selectFrom('team').selectAll().where('id', 'in', ids).orderBy('id').execute())
}

/** Deletes the repository from the teams of an organization. */
export async function deleteTeamReposOf(tx: Tx, orgId: UserId, repoId: RepoId): Promise<void> {
  await tx.deleteFrom('team_repo').where('org_id', '=', orgId).where('repo_id', '=', repoId).execute()
}
