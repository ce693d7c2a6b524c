import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
const OrgName = { org_id: Id, name: Type.String() }
const OrgMember = { org_id: Id, user_id: Id }
const TeamName = { org_id: Id, team_id: Id, name: Type.String() }
const TeamMember = { org_id: Id, team_id: Id, user_id: Id }

export const orgEvents = {
  'org.created': Type.Object(OrgName),
  'org.deleted': Type.Object(OrgName),
  'org.member_added': Type.Object(OrgMember),
  'org.member_removed': Type.Object(OrgMember),
  'org.visibility_changed': Type.Object({ org_id: Id, visibility: Type.String(), old_visibility: Type.String() }),
  'team.created': Type.Object(TeamName),
  /** `member_ids`: members of the team who are still in another team of the organization. */
  'team.deleted': Type.Object({ ...TeamName, member_ids: Type.Optional(Type.Array(Id)) }),
  /** `rights`: the new rights of the team, when the edit changed them. */
  'team.edited': Type.Object({
    ...TeamName,
    rights: Type.Optional(Type.Object({ mode: Type.Integer(), all_repositories: Type.Boolean() })),
  }),
  'team.member_added': Type.Object(TeamMember),
  'team.member_removed': Type.Object(TeamMember),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof orgEvents> {}
}
