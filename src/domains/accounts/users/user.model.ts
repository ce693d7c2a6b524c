import { Type, type Static } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { OneOf, Timestamp } from '../../../core/http/answer/text.ts'
import { OWNER_NAME_LENGTH } from './users.policy.ts'

export const BlockedUser = Type.Object(
  {
    /** The blocked user's id. */
    block_id: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'BlockedUser' },
)
export type BlockedUser = Static<typeof BlockedUser>

export const Email = Type.Object(
  {
    email: Type.String(),
    verified: Type.Boolean(),
    primary: Type.Boolean(),
    user_id: Type.Integer(),
    username: Type.String(),
  },
  { $id: 'Email' },
)
export type Email = Static<typeof Email>

const emails = Type.Optional(Type.Array(Type.String({ maxLength: 254 }), { maxItems: LIST_ITEMS }))

export const CreateEmailOption = Type.Object({ emails }, { $id: 'CreateEmailOption' })

export const DeleteEmailOption = Type.Object({ emails }, { $id: 'DeleteEmailOption' })

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
    hide_pronouns: Type.Boolean(),
    hide_activity: Type.Boolean(),
    enable_repo_unit_hints: Type.Boolean(),
    /** An extension of the API: the mail about issues that the user gets (docs/operate/mail.md). */
    email_notifications: OneOf('enabled', 'onmention', 'disabled'),
  },
  { $id: 'UserSettings' },
)
export type UserSettings = Static<typeof UserSettings>

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** COMPAT: only here a bad URL breaks the rule "Url" (test/accounts/users/settings.test.ts). */
export const UserSettingsOptions = Type.Object(
  {
    description: text(255),
    diff_view_style: text(255),
    email_notifications: Type.Optional(OneOf('enabled', 'onmention', 'disabled')),
    enable_repo_unit_hints: Type.Optional(Type.Boolean()),
    full_name: text(100),
    hide_activity: Type.Optional(Type.Boolean()),
    hide_email: Type.Optional(Type.Boolean()),
    hide_pronouns: Type.Optional(Type.Boolean({ description: 'Shows the pronouns to signed-in users only' })),
    language: text(255),
    location: text(50),
    pronouns: text(50),
    theme: text(255),
    website: Type.Optional(Type.String({ maxLength: 255, description: 'Any text' })),
  },
  { $id: 'UserSettingsOptions' },
)
export type UserSettingsOptions = Static<typeof UserSettingsOptions>

export const User = Type.Object(
  {
    id: Type.Integer(),
    login: Type.String(),
    login_name: Type.String(),
    source_id: Type.Integer(),
    full_name: Type.String(),
    email: Type.String(),
    avatar_url: Type.String(),
    html_url: Type.String(),
    language: Type.String(),
    is_admin: Type.Boolean(),
    last_login: Type.String({ format: 'date-time' }),
    created: Type.String({ format: 'date-time' }),
    restricted: Type.Boolean(),
    active: Type.Boolean(),
    prohibit_login: Type.Boolean(),
    location: Type.String(),
    pronouns: Type.String(),
    website: Type.String(),
    description: Type.String(),
    visibility: Type.String(),
    followers_count: Type.Integer(),
    following_count: Type.Integer(),
    starred_repos_count: Type.Integer(),
    /** COMPAT: older clients read this twin of `login` (test/accounts/users/admin-users.test.ts). */
    username: Type.String(),
  },
  { $id: 'User' },
)
export type User = Static<typeof User>

/** `/users/search` in the form that some SDKs expect; see the setting api.users_search_results. */
export const UserSearchResults = Type.Object(
  { ok: Type.Boolean(), data: Type.Array(User) },
  { $id: 'UserSearchResults' },
)

export const CreateUserOption = Type.Object(
  {
    created_at: Type.Optional(Timestamp({ description: 'Back-dates the account' })),
    email: Type.String({ maxLength: 254 }),
    full_name: Type.Optional(Type.String({ maxLength: 100 })),
    login_name: Type.Optional(Type.String({ maxLength: NAME_LENGTH })),
    must_change_password: Type.Optional(Type.Boolean({ default: true })),
    password: Type.Optional(Type.String({ maxLength: 255 })),
    restricted: Type.Optional(Type.Boolean()),
    send_notify: Type.Optional(Type.Boolean()),
    source_id: Type.Optional(Type.Integer()),
    username: Type.String({ maxLength: OWNER_NAME_LENGTH }),
    visibility: Type.Optional(OneOf('public', 'limited', 'private')),
  },
  { $id: 'CreateUserOption' },
)
export type CreateUserOption = Static<typeof CreateUserOption>

/**
 * COMPAT: one family of clients requires `login_name`, the other sends neither it nor `source_id`; both work
 * (test/accounts/users/admin-users.test.ts).
 */
export const EditUserOption = Type.Object(
  {
    active: Type.Optional(Type.Boolean()),
    admin: Type.Optional(Type.Boolean()),
    allow_create_organization: Type.Optional(Type.Boolean()),
    allow_git_hook: Type.Optional(Type.Boolean({ description: 'Accepted and without effect: there are no git hooks' })),
    allow_import_local: Type.Optional(
      Type.Boolean({ description: 'Accepted and without effect: there are no local imports' }),
    ),
    description: Type.Optional(Type.String({ maxLength: 255 })),
    email: Type.Optional(Type.String({ maxLength: 254 })),
    full_name: Type.Optional(Type.String({ maxLength: 100 })),
    hide_email: Type.Optional(Type.Boolean()),
    location: Type.Optional(Type.String({ maxLength: 50 })),
    login_name: Type.Optional(Type.String({ maxLength: NAME_LENGTH })),
    max_repo_creation: Type.Optional(Type.Integer()),
    must_change_password: Type.Optional(Type.Boolean()),
    password: Type.Optional(Type.String({ maxLength: 255 })),
    prohibit_login: Type.Optional(Type.Boolean()),
    pronouns: Type.Optional(Type.String({ maxLength: 50 })),
    restricted: Type.Optional(Type.Boolean()),
    source_id: Type.Optional(Type.Integer()),
    visibility: Type.Optional(OneOf('public', 'limited', 'private')),
    website: Type.Optional(Type.String({ maxLength: 255, description: 'Any text' })),
  },
  { $id: 'EditUserOption' },
)
export type EditUserOption = Static<typeof EditUserOption>

export const RenameUserOption = Type.Object(
  { new_username: Type.String({ maxLength: OWNER_NAME_LENGTH }) },
  { $id: 'RenameUserOption' },
)
export type RenameUserOption = Static<typeof RenameUserOption>
