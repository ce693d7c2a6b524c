import { type Static, Type } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { Nullable } from '../../../../core/http/openapi/nullable.ts'
import { Organization } from '../organization.model.ts'

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

export const TeamSearchResults = Type.Object(
  { ok: Type.Boolean(), data: Type.Array(Team) },
  { $id: 'TeamSearchResults' },
)

const members = {
  description: Type.Optional(Type.String({ maxLength: 255 })),
  /** COMPAT: anything but read, write and admin counts as none (test/accounts/orgs/teams.test.ts). */
  permission: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'read, write or admin' })),
  includes_all_repositories: Type.Optional(Type.Boolean()),
  can_create_org_repo: Type.Optional(Type.Boolean()),
  units: Type.Optional(Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS })),
  units_map: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: NAME_LENGTH }), { maxProperties: LIST_ITEMS }),
  ),
}
const named = (pattern: string) => Type.String({ pattern, 'x-rule': 'AlphaDashDot', maxLength: 255 })

export const CreateTeamOption = Type.Object(
  { name: named('^[A-Za-z0-9._-]+$'), ...members },
  { $id: 'CreateTeamOption' },
)
export type CreateTeamOption = Static<typeof CreateTeamOption>

/** Absent members stay as they are, and so does the name when it is empty. */
export const EditTeamOption = Type.Object(
  { name: Type.Optional(named('^[A-Za-z0-9._-]*$')), ...members },
  { $id: 'EditTeamOption' },
)
export type EditTeamOption = Static<typeof EditTeamOption>
