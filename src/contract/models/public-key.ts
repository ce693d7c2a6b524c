import { Type, type Static } from '@sinclair/typebox'
import { User } from './user.ts'

export const PublicKey = Type.Object(
  {
    id: Type.Integer(),
    key: Type.String(),
    url: Type.String(),
    title: Type.String(),
    fingerprint: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.String({ format: 'date-time' }),
    user: Type.Optional(User),
    read_only: Type.Optional(Type.Boolean()),
    key_type: Type.Optional(Type.String()),
  },
  { $id: 'PublicKey' },
)
export type PublicKey = Static<typeof PublicKey>
