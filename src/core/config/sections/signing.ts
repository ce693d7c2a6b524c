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
    name: Type.String({ default: 'Ingot', minLength: 1, description: 'Committer of signed commits.' }),
    email: Type.String({
      default: '',
      description: 'E-mail address of that committer. Empty: ingot at service.no_reply_address.',
    }),
  },
  { additionalProperties: false, description: 'Signatures of the server.' },
)
