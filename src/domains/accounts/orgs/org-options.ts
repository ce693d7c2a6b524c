import type { NewOrg, OrgProfile } from './create-org.ts'
import type { CreateOrgOption, EditOrgOption } from './orgs.model.ts'

export function readProfile(body: EditOrgOption): OrgProfile {
  return {
    fullName: body.full_name,
    email: body.email,
    description: body.description,
    website: body.website,
    location: body.location,
    /** COMPAT: clients send an empty text for "the default" or "as it is" (test/accounts/orgs/orgs.test.ts). */
    visibility: body.visibility || undefined,
    repoAdminChangeTeamAccess: body.repo_admin_change_team_access,
  }
}

export const readNewOrg = (body: CreateOrgOption): NewOrg => ({ name: body.username, ...readProfile(body) })
