import { AccessMode, accessName, UNITS } from '../../../core/access/repo-access.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { avatarUrl } from '../users/user.present.ts'
import type { User } from '../users/user.store.ts'
import type { Organization, OrganizationPermissions, Team as TeamModel } from './orgs.model.ts'
import { lowestUnitMode } from './teams/team-units.policy.ts'
import type { Team } from './teams/team.store.ts'

/** Only signed-in users see the e-mail address (behaviour/orgs-webhooks-actions#organizations). */
export function presentOrganization(org: User, viewer: Viewer, site: Site): Organization {
  return {
    id: org.id,
    name: org.name,
    full_name: org.fullName,
    email: viewer.kind === 'anonymous' ? '' : org.email,
    avatar_url: avatarUrl(org, site),
    description: org.description,
    website: org.website,
    location: org.location,
    visibility: org.visibility,
    repo_admin_change_team_access: org.repoAdminChangeTeamAccess,
    username: org.name,
    created: wireTime(org.createdAt),
  }
}

/** `mode` is the highest level of the user's teams; teams with levels by unit count as none. */
export function presentOrganizationPermissions(rights: {
  readonly mode: AccessMode
  readonly canCreateRepo: boolean
}): OrganizationPermissions {
  return {
    is_owner: rights.mode >= AccessMode.owner,
    is_admin: rights.mode >= AccessMode.admin,
    can_write: rights.mode >= AccessMode.write,
    can_read: rights.mode >= AccessMode.read,
    can_create_repository: rights.canCreateRepo,
  }
}

/** The organization is null when the path contains it (behaviour/orgs-webhooks-actions#teams). */
export function presentTeam(
  team: Team,
  { org, viewer, site }: { org: User | undefined; viewer: Viewer; site: Site },
): TeamModel {
  const hasEveryUnit = team.mode >= AccessMode.admin
  const units = UNITS.filter((unit) => hasEveryUnit || team.units.has(unit))
  return {
    id: team.id,
    name: team.name,
    description: team.description,
    organization: org === undefined ? null : presentOrganization(org, viewer, site),
    includes_all_repositories: team.includesAllRepositories,
    permission: accessName(hasEveryUnit ? team.mode : lowestUnitMode(team.units)),
    units,
    units_map: Object.fromEntries(
      units.map((unit) => [unit, accessName(hasEveryUnit ? team.mode : team.units.get(unit)!)]),
    ),
    can_create_org_repo: team.canCreateOrgRepo,
    visibility: team.visibility,
  }
}
