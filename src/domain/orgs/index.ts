export { createOrgs, type OrgInView, type Orgs } from './orgs.service.ts'
