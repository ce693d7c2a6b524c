import type { Services } from '../../../../core/module.ts'
import type { Db } from '../../../../core/db/database.ts'
import { asId, type TeamId } from '../../../../core/platform/crypto/ids.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { presentTeam, teamQueries } from '../../../accounts/index.ts'

type DetailsLoader = Parameters<Services['timeline']['registerDetails']>[1]

/** The teams that entries of requests name; absent when deleted. */
export const loadRequestedTeams =
  (read: Db, site: Site): DetailsLoader =>
  async (viewer, entries) => {
    const ofTeams = entries.filter(({ payload }) => 'isTeam' in payload && payload.isTeam)
    const teams = await teamQueries.listByIds(read, [...new Set(ofTeams.map(({ targetId }) => asId<TeamId>(targetId)))])
    const byId = new Map<number, (typeof teams)[number]>(teams.map((team) => [team.id, team]))
    return new Map(
      ofTeams.flatMap(({ id, targetId }) => {
        const team = byId.get(targetId)
        return team ? [[id, { assignee_team: presentTeam(team, { org: undefined, viewer, site }) }]] : []
      }),
    )
  }
