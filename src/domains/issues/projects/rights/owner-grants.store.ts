import { AccessMode, asAccessMode } from '../../../../core/access/repo-access.ts'
import type { Db } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'

/**
 * The level that the teams of a user grant on the projects of each of these organizations; none for a member without
 * such a team. Organizations of which the user is no member are absent.
 */
export async function loadMemberships(
  db: Db,
  userId: UserId,
  orgIds: readonly UserId[],
): Promise<ReadonlyMap<number, AccessMode>> {
  if (orgIds.length === 0) return new Map()
  const rows = await memberships(db, { userId, orgIds })
  const modes = new Map<number, AccessMode>()
  for (const { org_id: orgId, mode, unit_mode: unitMode } of rows) {
    const granted = asAccessMode(mode ?? 0) >= AccessMode.admin ? AccessMode.owner : asAccessMode(unitMode ?? 0)
    modes.set(orgId, Math.max(modes.get(orgId) ?? AccessMode.none, granted) as AccessMode)
  }
  return modes
}

const memberships = defineQuery((db, { userId, orgIds }: { userId: UserId; orgIds: readonly UserId[] }) =>
  db
    .selectFrom('org_member')
    .leftJoin('team_member', (join) =>
      join
        .onRef('team_member.org_id', '=', 'org_member.org_id')
        .onRef('team_member.user_id', '=', 'org_member.user_id'),
    )
    .leftJoin('team', 'team.id', 'team_member.team_id')
    .leftJoin('team_unit', (join) =>
      join.onRef('team_unit.team_id', '=', 'team.id').on('team_unit.unit', '=', 'repo.projects'),
    )
    .select(['org_member.org_id', 'team.mode', 'team_unit.mode as unit_mode'])
    .where('org_member.user_id', '=', userId)
    .where('org_member.org_id', 'in', orgIds),
)
