import { Type, type Static } from '@sinclair/typebox'
import { HttpUrl, OneOf } from '../text.ts'

const profile = {
  full_name: Type.Optional(Type.String({ maxLength: 100 })),
  email: Type.Optional(Type.String({ maxLength: 255 })),
  description: Type.Optional(Type.String({ maxLength: 255 })),
  website: Type.Optional(HttpUrl({ maxLength: 255 })),
  location: Type.Optional(Type.String({ maxLength: 50 })),
  visibility: Type.Optional(OneOf('public', 'limited', 'private')),
  repo_admin_change_team_access: Type.Optional(Type.Boolean()),
}

export const CreateOrgOption = Type.Object({ username: Type.String({ maxLength: 40, 'x-field': 'UserName' }), ...profile }, { $id: 'CreateOrgOption' })
export type CreateOrgOption = Static<typeof CreateOrgOption>

/** Absent members stay as they are; an empty text clears. */
export const EditOrgOption = Type.Object(profile, { $id: 'EditOrgOption' })
export type EditOrgOption = Static<typeof EditOrgOption>

export const RenameOrgOption = Type.Object({ new_name: Type.String({ maxLength: 40 }) }, { $id: 'RenameOrgOption' })
export type RenameOrgOption = Static<typeof RenameOrgOption>
