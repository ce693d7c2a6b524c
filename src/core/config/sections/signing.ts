import { Type } from '@sinclair/typebox'

export const signingSection = Type.Object(
  {
    key: Type.String({
      default: '',
      description:
        'File with the private key, GPG (armored) or SSH, that signs the commits the server makes. Empty: they are ' +
        'not signed.',
    }),
    passphrase: Type.String({ default: '', description: 'Opens the key.' }),
  },
  { additionalProperties: false, description: 'Signatures of the server.' },
)
