import { Type, type Static } from '@sinclair/typebox'

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
    /** COMPAT: older clients read this twin of `login`. */
    username: Type.String(),
  },
  { $id: 'User' },
)
export type User = Static<typeof User>

/** `/users/search` as SDKs of the other form expect it; see the setting api.users_search_results. */
export const UserSearchResults = Type.Object({ ok: Type.Boolean(), data: Type.Array(User) }, { $id: 'UserSearchResults' })
