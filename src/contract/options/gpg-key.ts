import { Type, type Static } from '@sinclair/typebox'

export const CreateGPGKeyOption = Type.Object(
  {
    armored_public_key: Type.String({ 'x-field': 'ArmoredKey', description: 'An armored GPG public key' }),
    armored_signature: Type.Optional(Type.String({ 'x-field': 'Signature', description: 'Over the token, for a key without an address of the account' })),
  },
  { $id: 'CreateGPGKeyOption' },
)
export type CreateGPGKeyOption = Static<typeof CreateGPGKeyOption>

export const VerifyGPGKeyOption = Type.Object(
  {
    key_id: Type.String({ 'x-field': 'KeyID', description: '16 hex digits' }),
    armored_signature: Type.String({ 'x-field': 'Signature', description: 'Over the token' }),
  },
  { $id: 'VerifyGPGKeyOption' },
)
export type VerifyGPGKeyOption = Static<typeof VerifyGPGKeyOption>
