import { Type, type Static } from '@sinclair/typebox'

export const CreateAccessTokenOption = Type.Object(
  {
    name: Type.String({ maxLength: 255 }),
    scopes: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'CreateAccessTokenOption' },
)
export type CreateAccessTokenOption = Static<typeof CreateAccessTokenOption>
