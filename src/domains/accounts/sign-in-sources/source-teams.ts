import { systemActor } from '../../../core/access/viewer.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import type { Core } from '../../../core/module.ts'
import { findTeamByName, isTeamMember } from '../orgs/teams/team.store.ts'
import type { TeamMembers } from '../orgs/teams/team-members.service.ts'
import type { TeamOf } from '../orgs/teams/teams.service.ts'
import { findUserByName, type User } from '../users/user.store.ts'
import type { TeamChanges, TeamName } from './external-profile.ts'

interface Deps extends Pick<Core, 'database' | 'log'> {
  readonly teamMembers: Pick<TeamMembers, 'addUser' | 'deleteUser'>
}

export type SourceTeams = ReturnType<typeof createSourceTeams>

/** Members of teams as sign-in sources say. */
export function createSourceTeams({ database: { read }, log, teamMembers }: Deps) {
  async function findTeam({ organization, team: name }: TeamName): Promise<TeamOf | undefined> {
    const org = await findUserByName(read, organization)
    const team = org?.kind === 'organization' ? await findTeamByName(read, org.id, name) : undefined
    return org && team && { org, team }
  }

  /** Returns whether the user was in the wrong state. */
  async function correct(user: User, name: TeamName, shouldBeMember: boolean): Promise<boolean> {
    const found = await findTeam(name)
    if (found === undefined) {
      if (shouldBeMember) log.warn({ ...name, user: user.id }, 'a sign-in source names a team that does not exist')
      return false
    }
    if ((await isTeamMember(read, found.team.id, user.id)) === shouldBeMember) return false
    try {
      await teamMembers[shouldBeMember ? 'addUser' : 'deleteUser'](systemActor, found, user)
      return true
    } catch (error) {
      // The last owner, or a user whom the organization blocks.
      if (!isDomainError(error)) throw error
      log.warn({ ...name, user: user.id, reason: error.message }, 'cannot change a team as a sign-in source says')
      return false
    }
  }

  return {
    /** Returns whether anything changed. */
    async assign(user: User, { join, leave }: TeamChanges): Promise<boolean> {
      let isChanged = false
      for (const name of join) if (await correct(user, name, true)) isChanged = true
      for (const name of leave) if (await correct(user, name, false)) isChanged = true
      return isChanged
    },
  }
}
