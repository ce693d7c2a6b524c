import { Type, type Static } from '@sinclair/typebox'

export const AccessToken = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    sha1: Type.String({ description: 'The value, in the answer that creates the token; empty ever after.' }),
    token_last_eight: Type.String(),
    scopes: Type.Array(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'AccessToken' },
)
export type AccessToken = Static<typeof AccessToken>
