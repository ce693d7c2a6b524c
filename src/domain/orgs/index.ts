export { OWNERS_TEAM, type NewOrg, type OrgProfile } from './create-org.ts'
export type { OrgRules } from './deps.ts'
export { createOrgMembers, type OrgMembers } from './members.ts'
export { createOrgs, type OrgInView, type OrgRights, type Orgs } from './orgs.service.ts'
