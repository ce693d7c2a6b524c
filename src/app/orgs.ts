import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../platform/clock.ts'
import {
  createRepoTeams,
  createTeamRepos,
  type RepoTeams,
  type TeamRepos,
} from '../subjects/collaborators/team-repos.service.ts'
import { createOrgMembers, type OrgMembers } from '../subjects/orgs/org-members.service.ts'
import { createOrgs, type Orgs } from '../subjects/orgs/orgs.service.ts'
import { createTeamMembers, type TeamMembers } from '../subjects/orgs/team-members.service.ts'
import { createTeams, type Teams } from '../subjects/orgs/teams.service.ts'

export interface OrgServices {
  readonly orgs: Orgs
  readonly orgMembers: OrgMembers
  readonly repoTeams: RepoTeams
  readonly teamMembers: TeamMembers
  readonly teamRepos: TeamRepos
  readonly teams: Teams
}

/** Organizations and what belongs to them. */
export function createOrgServices(core: {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
}): OrgServices {
  const { service } = core.config
  const deps = {
    ...core,
    rules: {
      membersArePublic: service.default_org_member_visible,
      onlyAdminsCreate: service.disable_regular_org_creation,
      autoWatch: service.auto_watch_new_repos,
    },
  }
  return {
    orgs: createOrgs(deps),
    orgMembers: createOrgMembers(deps),
    repoTeams: createRepoTeams(deps),
    teamMembers: createTeamMembers(deps),
    teamRepos: createTeamRepos(deps),
    teams: createTeams(deps),
  }
}
