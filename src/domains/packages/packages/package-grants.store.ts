import { type AccessMode, asAccessMode } from '../../../core/access/repo-access.ts'
import type { Db } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'

/** The rights of a user's teams in an organization on its packages. */
export interface PackageGrants {
  readonly isOrgMember: boolean
  /** The mode of each team, and the mode of its packages unit. */
  readonly teams: readonly { readonly mode: AccessMode; readonly packages: AccessMode }[]
}

export async function loadPackageGrants(db: Db, userId: UserId, orgId: UserId): Promise<PackageGrants> {
  const rows = await db
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .leftJoin('team_unit', (join) =>
      join.onRef('team_unit.team_id', '=', 'team.id').on('team_unit.unit', '=', 'repo.packages'),
    )
    .select(['team.mode', 'team_unit.mode as unit_mode'])
    .where('team_member.user_id', '=', userId)
    .where('team_member.org_id', '=', orgId)
    .execute()
  return {
    isOrgMember: rows.length > 0,
    teams: rows.map((row) => ({ mode: asAccessMode(row.mode), packages: asAccessMode(row.unit_mode ?? 0) })),
  }
}
