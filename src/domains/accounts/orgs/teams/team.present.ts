import { AccessMode, accessName } from '../../../../core/access/access-mode.ts'
import { UNITS } from '../../../../core/access/units.ts'
import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { User } from '../../users/user.store.ts'
import { presentOrganization } from '../organization.present.ts'
import { lowestUnitMode } from './team-units.policy.ts'
import type { Team as TeamModel } from './team.model.ts'
import type { Team } from './team.store.ts'

/** The organization is null where the path has named it (behaviour/orgs-webhooks-actions#teams). */
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
  }
}
