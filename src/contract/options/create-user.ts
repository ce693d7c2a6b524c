import { Type, type Static } from '@sinclair/typebox'
import { OneOf, Timestamp } from '../text.ts'

export const CreateUserOption = Type.Object(
  {
    created_at: Type.Optional(Timestamp({ description: 'Back-dates the account' })),
    email: Type.String({ maxLength: 254 }),
    full_name: Type.Optional(Type.String({ maxLength: 100 })),
    login_name: Type.Optional(Type.String()),
    must_change_password: Type.Optional(Type.Boolean({ default: true })),
    password: Type.Optional(Type.String({ maxLength: 255 })),
    restricted: Type.Optional(Type.Boolean()),
    send_notify: Type.Optional(Type.Boolean()),
    source_id: Type.Optional(Type.Integer()),
    username: Type.String(),
    visibility: Type.Optional(OneOf('public', 'limited', 'private')),
  },
  { $id: 'CreateUserOption' },
)
export type CreateUserOption = Static<typeof CreateUserOption>
