import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import { createOrgMembers, createOrgs, createTeamMembers, createTeamRepos, createRepoTeams, createTeams, type OrgMembers, type Orgs, type RepoTeams, type TeamMembers, type TeamRepos, type Teams } from '../domain/orgs/index.ts'
import type { Clock } from '../platform/clock.ts'

export interface OrgServices {
  readonly orgs: Orgs
  readonly orgMembers: OrgMembers
  readonly repoTeams: RepoTeams
  readonly teamMembers: TeamMembers
  readonly teamRepos: TeamRepos
  readonly teams: Teams
}

/** Organizations and what belongs to them. */
export function createOrgServices(core: { readonly config: Config; readonly database: Database; readonly clock: Clock }): OrgServices {
  const { service } = core.config
  const deps = {
    ...core,
    rules: {
      membersArePublic: service.default_org_member_visible,
      onlyAdminsCreate: service.disable_regular_org_creation,
      autoWatch: service.auto_watch_new_repos,
    },
  }
  return { orgs: createOrgs(deps), orgMembers: createOrgMembers(deps), repoTeams: createRepoTeams(deps), teamMembers: createTeamMembers(deps), teamRepos: createTeamRepos(deps), teams: createTeams(deps) }
}
