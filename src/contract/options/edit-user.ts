import { Type, type Static } from '@sinclair/typebox'
import { HttpUrl, OneOf } from '../text.ts'

/** COMPAT: one family of clients requires `login_name`, the other sends neither it nor `source_id`; both work. */
export const EditUserOption = Type.Object(
  {
    active: Type.Optional(Type.Boolean()),
    admin: Type.Optional(Type.Boolean()),
    allow_create_organization: Type.Optional(Type.Boolean()),
    allow_git_hook: Type.Optional(Type.Boolean({ description: 'Accepted and without effect: there are no git hooks' })),
    allow_import_local: Type.Optional(Type.Boolean({ description: 'Accepted and without effect: there are no local imports' })),
    description: Type.Optional(Type.String({ maxLength: 255 })),
    email: Type.Optional(Type.String({ maxLength: 254 })),
    full_name: Type.Optional(Type.String({ maxLength: 100 })),
    location: Type.Optional(Type.String({ maxLength: 50 })),
    login_name: Type.Optional(Type.String()),
    max_repo_creation: Type.Optional(Type.Integer()),
    must_change_password: Type.Optional(Type.Boolean()),
    password: Type.Optional(Type.String({ maxLength: 255 })),
    prohibit_login: Type.Optional(Type.Boolean()),
    pronouns: Type.Optional(Type.String({ maxLength: 50 })),
    restricted: Type.Optional(Type.Boolean()),
    source_id: Type.Optional(Type.Integer()),
    visibility: Type.Optional(OneOf('public', 'limited', 'private')),
    website: Type.Optional(HttpUrl({ maxLength: 255 })),
  },
  { $id: 'EditUserOption' },
)
export type EditUserOption = Static<typeof EditUserOption>
