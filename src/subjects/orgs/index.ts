export { mayCreateFor, ownsOrCreatesIn } from './create-right.ts'
export { leavingProjections } from './leaving.projection.ts'
export type { Orgs } from './orgs.service.ts'
export {
  deleteTeamRepo,
  deleteTeamReposOf,
  insertTeamRepo,
  listTeamsByIds,
  listTeamsOfRepo,
  hasTeamRepo,
} from './teams/team-repo.store.ts'
export { presentOrganization } from './organization.present.ts'
export { listTeamMembers } from './teams/team-list.store.ts'
export { Team as TeamModel } from './teams/team.model.ts'
export { presentTeam } from './teams/team.present.ts'
export { listTeamMemberIds } from './teams/team-list.store.ts'
export { findTeamById, findTeamByName, type Team } from './teams/team.store.ts'
export type { TeamOf } from './teams/teams.service.ts'
