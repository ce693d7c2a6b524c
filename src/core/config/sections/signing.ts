import { Type } from '@sinclair/typebox'

export const signingSection = Type.Object(
  {
    key: Type.String({
      default: '',
      description:
        'File with the private key, GPG (armored) or SSH, for signing commits that the server creates. Empty: they are ' +
        'not signed.',
    }),
    passphrase: Type.String({ default: '', description: 'Passphrase of the key.' }),
  },
  { additionalProperties: false, description: 'Commit signatures of the server.' },
)
