import { Type, type Static } from '@sinclair/typebox'

export const CreateKeyOption = Type.Object(
  {
    key: Type.String({ description: 'An SSH public key in OpenSSH, RFC 4716 or PEM form' }),
    read_only: Type.Optional(Type.Boolean({ description: 'For deploy keys; without effect on keys of users' })),
    title: Type.String({ maxLength: 255 }),
  },
  { $id: 'CreateKeyOption' },
)
export type CreateKeyOption = Static<typeof CreateKeyOption>
