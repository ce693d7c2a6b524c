export { mayCreateFor, ownsOrCreatesIn } from './create-right.ts'
export type { Orgs } from './orgs.service.ts'
export {
  deleteTeamRepo,
  deleteTeamReposOf,
  insertTeamRepo,
  listTeamsByIds,
  listTeamsOfRepo,
  teamHoldsRepo,
} from './team-repo.store.ts'
export { Team as TeamModel } from './team.model.ts'
export { presentTeam } from './team.present.ts'
export { findTeamById, findTeamByName, type Team } from './team.store.ts'
export type { TeamOf } from './teams.service.ts'
