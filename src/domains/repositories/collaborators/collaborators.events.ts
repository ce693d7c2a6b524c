import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
const InRepo = { repo_id: Id }
const TeamRepo = { ...InRepo, org_id: Id, team_id: Id }

export const collaboratorEvents = {
  'repo.collaborator_added': Type.Object({ ...InRepo, user_id: Id, mode: Type.Integer() }),
  /** `has_access`: the user may still see the repository, through a team or because it is public. */
  'repo.collaborator_removed': Type.Object({ ...InRepo, user_id: Id, has_access: Type.Boolean() }),
  'repo.key_added': Type.Object({ ...InRepo, key_id: Id, fingerprint: Type.String() }),
  'repo.key_deleted': Type.Object({ ...InRepo, key_id: Id, fingerprint: Type.String() }),
  'team.repo_added': Type.Object(TeamRepo),
  'team.repo_removed': Type.Object(TeamRepo),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof collaboratorEvents> {}
}
