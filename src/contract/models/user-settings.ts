import { Type, type Static } from '@sinclair/typebox'

export const UserSettings = Type.Object(
  {
    full_name: Type.String(),
    website: Type.String(),
    description: Type.String(),
    location: Type.String(),
    pronouns: Type.String(),
    language: Type.String(),
    theme: Type.String(),
    diff_view_style: Type.String(),
    hide_email: Type.Boolean(),
    hide_activity: Type.Boolean(),
    enable_repo_unit_hints: Type.Boolean(),
  },
  { $id: 'UserSettings' },
)
export type UserSettings = Static<typeof UserSettings>
