import { Type, type Static } from '@sinclair/typebox'
import { HttpUrl } from '../text.ts'

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** COMPAT: here, and only here, a bad URL breaks the rule "Url". */
export const UserSettingsOptions = Type.Object(
  {
    description: text(255),
    diff_view_style: text(255),
    enable_repo_unit_hints: Type.Optional(Type.Boolean()),
    full_name: text(100),
    hide_activity: Type.Optional(Type.Boolean()),
    hide_email: Type.Optional(Type.Boolean()),
    language: text(255),
    location: text(50),
    pronouns: text(50),
    theme: text(255),
    website: Type.Optional(HttpUrl({ maxLength: 255, 'x-rule': 'Url' })),
  },
  { $id: 'UserSettingsOptions' },
)
export type UserSettingsOptions = Static<typeof UserSettingsOptions>
