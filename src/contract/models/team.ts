import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../nullable.ts'
import { Organization } from './organization.ts'

export const Team = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: Type.String(),
    organization: Nullable(Organization),
    includes_all_repositories: Type.Boolean(),
    permission: Type.String(),
    units: Type.Array(Type.String()),
    units_map: Type.Record(Type.String(), Type.String()),
    can_create_org_repo: Type.Boolean(),
  },
  { $id: 'Team' },
)
export type Team = Static<typeof Team>

export const TeamSearchResults = Type.Object({ ok: Type.Boolean(), data: Type.Array(Team) }, { $id: 'TeamSearchResults' })
