import { type Static, Type } from '@sinclair/typebox'
import { OneOf } from '../../../core/http/answer/text.ts'
import { LIST_ITEMS, NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'

export const Organization = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    full_name: Type.String(),
    email: Type.String(),
    avatar_url: Type.String(),
    description: Type.String(),
    website: Type.String(),
    location: Type.String(),
    visibility: Type.String(),
    repo_admin_change_team_access: Type.Boolean(),
    /** COMPAT: older clients read this twin of `name` (test/accounts/orgs/orgs.test.ts). */
    username: Type.String(),
    created: Type.String({ format: 'date-time' }),
  },
  { $id: 'Organization' },
)
export type Organization = Static<typeof Organization>

export const OrganizationPermissions = Type.Object(
  {
    is_owner: Type.Boolean(),
    is_admin: Type.Boolean(),
    can_write: Type.Boolean(),
    can_read: Type.Boolean(),
    can_create_repository: Type.Boolean(),
  },
  { $id: 'OrganizationPermissions' },
)
export type OrganizationPermissions = Static<typeof OrganizationPermissions>

const profile = {
  full_name: Type.Optional(Type.String({ maxLength: 100 })),
  email: Type.Optional(Type.String({ maxLength: 255 })),
  description: Type.Optional(Type.String({ maxLength: 255 })),
  website: Type.Optional(Type.String({ maxLength: 255, description: 'Any text' })),
  location: Type.Optional(Type.String({ maxLength: 50 })),
  visibility: Type.Optional(OneOf('public', 'limited', 'private')),
  repo_admin_change_team_access: Type.Optional(Type.Boolean()),
}

export const CreateOrgOption = Type.Object(
  { username: Type.String({ maxLength: 40, 'x-field': 'UserName' }), ...profile },
  { $id: 'CreateOrgOption' },
)
export type CreateOrgOption = Static<typeof CreateOrgOption>

/** Absent members are unchanged; an empty text clears a member. */
export const EditOrgOption = Type.Object(profile, { $id: 'EditOrgOption' })
export type EditOrgOption = Static<typeof EditOrgOption>

export const RenameOrgOption = Type.Object({ new_name: Type.String({ maxLength: 40 }) }, { $id: 'RenameOrgOption' })
export type RenameOrgOption = Static<typeof RenameOrgOption>

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
    visibility: Type.String(),
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
  /** COMPAT: any value except read, write and admin counts as none (test/accounts/orgs/teams.test.ts). */
  permission: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'read, write or admin' })),
  includes_all_repositories: Type.Optional(Type.Boolean()),
  can_create_org_repo: Type.Optional(Type.Boolean()),
  visibility: Type.Optional(OneOf('private', 'limited', 'public')),
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

/** Absent members are unchanged, and so is the name when it is empty. */
export const EditTeamOption = Type.Object(
  { name: Type.Optional(named('^[A-Za-z0-9._-]*$')), ...members },
  { $id: 'EditTeamOption' },
)
export type EditTeamOption = Static<typeof EditTeamOption>
