import { Type, type Static } from '@sinclair/typebox'
import { Timestamp } from '../text.ts'

export const CreateAccessTokenOption = Type.Object(
  {
    name: Type.String({ maxLength: 255 }),
    scopes: Type.Optional(Type.Array(Type.String())),
    expires_at: Type.Optional(Timestamp({ description: 'From then on the token is refused; without it never.' })),
    repositories: Type.Optional(Type.Array(Type.String(), { description: 'owner/name of the only repositories the token may reach; without it all. Everything else looks missing to it.' })),
  },
  { $id: 'CreateAccessTokenOption' },
)
export type CreateAccessTokenOption = Static<typeof CreateAccessTokenOption>
