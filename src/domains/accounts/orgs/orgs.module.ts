import { defineModule } from '../../../core/module.ts'
import { orgBlockOperations } from './blocks.operations.ts'
import type { OrgDeps } from './create-org.ts'
import type { OwnedRepos, OwnsPackages } from './org.store.ts'
import { createHook, createPort } from '../../../core/platform/hook.ts'
import { memberOperations } from './members.operations.ts'
import { orgListOperations } from './org-lists.operations.ts'
import { createOrgMembers, type OrgMembers } from './org-members.service.ts'
import { createOrgGuards, type OrgGuards } from './org.guards.ts'
import { orgOperations } from './org.operations.ts'
import { orgEvents } from './orgs.events.ts'
import { createOrgs, type Orgs } from './orgs.service.ts'
import { teamMemberOperations } from './teams/team-members.operations.ts'
import { createTeamMembers, type TeamMembers } from './teams/team-members.service.ts'
import { createTeamGuard, type TeamGuard } from './teams/team.guards.ts'
import { teamOperations } from './teams/teams.operations.ts'
import { createTeams, type Teams } from './teams/teams.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly orgs: Orgs
    readonly orgMembers: OrgMembers
    readonly ownedRepos: OwnedRepos
    readonly ownsPackages: OwnsPackages
    readonly teamMembers: TeamMembers
    readonly teams: Teams
  }
  interface Guards extends OrgGuards {
    readonly team: TeamGuard
  }
}

/** Organizations, their members and their teams. */
export const module = defineModule({
  name: 'orgs',
  needs: ['blocks', 'users'],
  create({ config: { service }, database, clock, events, site }, { blocks, users }, { visibleUserSignedIn }) {
    const rules = {
      membersArePublic: service.default_org_member_visible,
      onlyAdminsCreate: service.disable_regular_org_creation,
    }
    const ownedRepos: OwnedRepos = createPort('the repositories of accounts')
    const ownsPackages: OwnsPackages = createHook()
    const deps: OrgDeps = { database, clock, events, rules, ownedRepos, ownsPackages }
    const orgs = createOrgs(deps)
    const orgMembers = createOrgMembers(deps)
    const teamMembers = createTeamMembers(deps)
    const teams = createTeams(deps)
    const guards = { ...createOrgGuards(orgs), team: createTeamGuard(teams) }
    return {
      services: { orgs, orgMembers, ownedRepos, ownsPackages, teamMembers, teams },
      guards,
      operations: [
        ...memberOperations({ guards, orgMembers, site }),
        ...orgBlockOperations({ blocks, guards, site }),
        ...orgListOperations({ guards: { visibleUserSignedIn }, orgs, site, users }),
        ...orgOperations({ guards, orgs, site, users }),
        ...teamMemberOperations({ guards, site, teamMembers }),
        ...teamOperations({ guards, site, teams }),
      ],
      events: orgEvents,
    }
  },
})
