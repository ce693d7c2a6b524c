import { Type, type Static } from '@sinclair/typebox'

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
    /** COMPAT: older clients read this twin of `name`. */
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
