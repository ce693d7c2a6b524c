import { type Static, Type } from '@sinclair/typebox'
import { TEXT_LENGTH } from '../../../core/http/body/limits.ts'
import { User } from '../users/user.model.ts'

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

export const CreateKeyOption = Type.Object(
  {
    key: Type.String({ maxLength: TEXT_LENGTH, description: 'An SSH public key in OpenSSH, RFC 4716 or PEM form' }),
    read_only: Type.Optional(Type.Boolean({ description: 'For deploy keys; without effect on keys of users' })),
    title: Type.String({ maxLength: 255 }),
  },
  { $id: 'CreateKeyOption' },
)
export type CreateKeyOption = Static<typeof CreateKeyOption>
