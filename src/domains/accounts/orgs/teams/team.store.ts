import type { Insertable, Selectable, Updateable } from 'kysely'
import { AccessMode, asAccessMode, type Unit } from '../../../../core/access/repo-access.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { DatabaseDialect } from '../../../../core/db/dialect/dialect.ts'
import { asId, type TeamId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { TeamTable, TeamVisibility } from '../orgs.table.ts'

/** Members of an organization with the same access to the repositories of the team. */
export interface Team {
  readonly id: TeamId
  readonly orgId: UserId
  readonly name: string
  readonly description: string
  /** none: `units` apply. admin and owner apply to every unit. */
  readonly mode: AccessMode
  readonly includesAllRepositories: boolean
  readonly canCreateOrgRepo: boolean
  readonly visibility: TeamVisibility
  readonly units: ReadonlyMap<Unit, AccessMode>
}

/** Loads the units of teams by one further query. */
export async function withUnits(db: Db, rows: readonly Selectable<TeamTable>[]): Promise<Team[]> {
  if (rows.length === 0) return []
  const units = await db
    .selectFrom('team_unit')
    .selectAll()
    .where(
      'team_id',
      'in',
      rows.map((row) => row.id),
    )
    .execute()
  return rows.map((row) => ({
    id: asId(row.id),
    orgId: asId(row.org_id),
    name: row.name,
    description: row.description,
    mode: asAccessMode(row.mode),
    includesAllRepositories: row.includes_all_repositories === 1,
    canCreateOrgRepo: row.can_create_org_repo === 1,
    visibility: row.visibility,
    units: new Map(
      units.filter((unit) => unit.team_id === row.id).map((unit) => [unit.unit as Unit, asAccessMode(unit.mode)]),
    ),
  }))
}

export async function findTeamById(db: Db, id: TeamId): Promise<Team | undefined> {
  const rows = await db.selectFrom('team').selectAll().where('id', '=', id).execute()
  return (await withUnits(db, rows))[0]
}

/** Locks the team until the transaction ends. Undefined when a concurrent request deleted it. */
export async function lockTeam(tx: Tx, dialect: DatabaseDialect, id: TeamId): Promise<Team | undefined> {
  const rows = await dialect.lockRows(tx.selectFrom('team').selectAll().where('id', '=', id)).execute()
  return (await withUnits(tx, rows))[0]
}

/** Names are case-insensitive. */
export async function findTeamByName(db: Db, orgId: UserId, name: string): Promise<Team | undefined> {
  const rows = await db
    .selectFrom('team')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('lower_name', '=', name.toLowerCase())
    .execute()
  return (await withUnits(db, rows))[0]
}

export async function insertTeam(tx: Tx, values: Insertable<TeamTable>): Promise<TeamId> {
  const { id } = await tx.insertInto('team').values(values).returning('id').executeTakeFirstOrThrow()
  return asId(id)
}

export async function updateTeam(tx: Tx, id: TeamId, values: Updateable<TeamTable>): Promise<void> {
  await tx.updateTable('team').set(values).where('id', '=', id).execute()
}

export async function deleteTeam(tx: Tx, id: TeamId): Promise<void> {
  await tx.deleteFrom('team').where('id', '=', id).execute()
}

export async function replaceTeamUnits(tx: Tx, id: TeamId, units: ReadonlyMap<Unit, AccessMode>): Promise<void> {
  await tx.deleteFrom('team_unit').where('team_id', '=', id).execute()
  if (units.size === 0) return
  await tx
    .insertInto('team_unit')
    .values([...units].map(([unit, mode]) => ({ team_id: id, unit, mode })))
    .execute()
}

/** Does nothing for a user who is already in the team. */
export async function insertTeamMember(
  tx: Tx,
  team: { readonly id: TeamId; readonly orgId: UserId },
  userId: UserId,
): Promise<void> {
  await tx
    .insertInto('team_member')
    .values({ team_id: team.id, org_id: team.orgId, user_id: userId })
    .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doNothing())
    .execute()
}

export async function deleteTeamMember(tx: Tx, teamId: TeamId, userId: UserId): Promise<void> {
  await tx.deleteFrom('team_member').where('team_id', '=', teamId).where('user_id', '=', userId).execute()
}

export async function isTeamMember(db: Db, teamId: TeamId, userId: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('team_member')
    .select('team_id')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}

/** The rights of one member in the organization as a whole, from all its teams. */
export async function loadOrgRights(
  db: Db,
  orgId: UserId,
  userId: UserId,
): Promise<{ readonly mode: AccessMode; readonly canCreateRepo: boolean }> {
  const row = await db
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .select((eb) => [eb.fn.max('team.mode').as('mode'), eb.fn.max('team.can_create_org_repo').as('creates')])
    .where('team_member.org_id', '=', orgId)
    .where('team_member.user_id', '=', userId)
    .executeTakeFirst()
  const mode = asAccessMode(Number(row?.mode ?? 0))
  return { mode, canCreateRepo: mode === AccessMode.owner || Number(row?.creates ?? 0) === 1 }
}

/**
 * True when no other user is in the Owners team. NOTE: locks the team until the transaction ends, so that two owners
 * cannot remove each other concurrently.
 */
export async function isLastOwner(tx: Tx, dialect: DatabaseDialect, orgId: UserId, userId: UserId): Promise<boolean> {
  const team = await dialect
    .lockRows(tx.selectFrom('team').select('id').where('org_id', '=', orgId).where('mode', '=', AccessMode.owner))
    .executeTakeFirst()
  if (team === undefined) return false
  const owners = await tx.selectFrom('team_member').select('user_id').where('team_id', '=', team.id).limit(2).execute()
  return owners.length === 1 && owners[0]?.user_id === userId
}
