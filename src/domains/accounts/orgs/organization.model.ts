import { type Static, Type } from '@sinclair/typebox'
import { OneOf } from '../../../core/http/answer/text.ts'

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

/** Absent members stay as they are; an empty text clears. */
export const EditOrgOption = Type.Object(profile, { $id: 'EditOrgOption' })
export type EditOrgOption = Static<typeof EditOrgOption>

export const RenameOrgOption = Type.Object({ new_name: Type.String({ maxLength: 40 }) }, { $id: 'RenameOrgOption' })
export type RenameOrgOption = Static<typeof RenameOrgOption>
