import { type Static, Type } from '@sinclair/typebox'
import { NAME_LENGTH, PAGE_LENGTH, TEXT_LENGTH } from '../../../core/http/body/limits.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { User } from '../users/user.model.ts'

const GPGKeyEmail = Type.Object({ email: Type.String(), verified: Type.Boolean() }, { $id: 'GPGKeyEmail' })
type GPGKeyEmail = Static<typeof GPGKeyEmail>

const members = {
  id: Type.Integer(),
  primary_key_id: Type.String(),
  key_id: Type.String(),
  public_key: Type.String(),
  emails: Nullable(Type.Array(GPGKeyEmail)),
  can_sign: Type.Boolean(),
  can_encrypt_comms: Type.Boolean(),
  can_encrypt_storage: Type.Boolean(),
  can_certify: Type.Boolean(),
  verified: Type.Boolean(),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: Type.String({ format: 'date-time' }),
}
const Members = Type.Object(members)
type GPGKeyMembers = Static<typeof Members>

/** `subkeys` are GPGKeys again, one level deep. */
export const GPGKey = Type.Recursive((Self) => Type.Object({ ...members, subkeys: Nullable(Type.Array(Self)) }), {
  $id: 'GPGKey',
})
export type GPGKey = GPGKeyMembers & { subkeys: (GPGKeyMembers & { subkeys: null })[] | null }

export const CreateGPGKeyOption = Type.Object(
  {
    armored_public_key: Type.String({
      maxLength: PAGE_LENGTH,
      'x-field': 'ArmoredKey',
      description: 'An armored GPG public key',
    }),
    armored_signature: Type.Optional(
      Type.String({
        maxLength: TEXT_LENGTH,
        'x-field': 'Signature',
        description: 'Over the token, for a key without an address of the account',
      }),
    ),
  },
  { $id: 'CreateGPGKeyOption' },
)
export type CreateGPGKeyOption = Static<typeof CreateGPGKeyOption>

export const VerifyGPGKeyOption = Type.Object(
  {
    key_id: Type.String({ maxLength: NAME_LENGTH, 'x-field': 'KeyID', description: '16 hex digits' }),
    armored_signature: Type.String({ maxLength: TEXT_LENGTH, 'x-field': 'Signature', description: 'Over the token' }),
  },
  { $id: 'VerifyGPGKeyOption' },
)
export type VerifyGPGKeyOption = Static<typeof VerifyGPGKeyOption>

export const PublicKey = Type.Object(
  {
    id: Type.Integer(),
    key: Type.String(),
    url: Type.String(),
    title: Type.String(),
    fingerprint: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    verified: Type.Boolean(),
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
