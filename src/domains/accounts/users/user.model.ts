import { type Static, Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { OWNER_NAME_LENGTH } from './names.policy.ts'
import { OneOf, Timestamp } from '../../../core/http/answer/text.ts'

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

/** `/users/search` as SDKs of the other form expect it; see the setting api.users_search_results. */
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
