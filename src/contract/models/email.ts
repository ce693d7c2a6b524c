import { Type, type Static } from '@sinclair/typebox'

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
