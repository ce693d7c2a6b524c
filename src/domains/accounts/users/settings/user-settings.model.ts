import { type Static, Type } from '@sinclair/typebox'
import { OneOf } from '../../../../core/http/answer/text.ts'

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
    /** Beyond the contract: which mail about issues the user gets (docs/operate/mail.md). */
    email_notifications: OneOf('enabled', 'onmention', 'disabled'),
  },
  { $id: 'UserSettings' },
)
export type UserSettings = Static<typeof UserSettings>

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** COMPAT: here, and only here, a bad URL breaks the rule "Url" (test/accounts/users/settings.test.ts). */
export const UserSettingsOptions = Type.Object(
  {
    description: text(255),
    diff_view_style: text(255),
    email_notifications: Type.Optional(OneOf('enabled', 'onmention', 'disabled')),
    enable_repo_unit_hints: Type.Optional(Type.Boolean()),
    full_name: text(100),
    hide_activity: Type.Optional(Type.Boolean()),
    hide_email: Type.Optional(Type.Boolean()),
    language: text(255),
    location: text(50),
    pronouns: text(50),
    theme: text(255),
    website: Type.Optional(Type.String({ maxLength: 255, description: 'Any text' })),
  },
  { $id: 'UserSettingsOptions' },
)
export type UserSettingsOptions = Static<typeof UserSettingsOptions>
