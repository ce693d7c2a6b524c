import { Type } from '@sinclair/typebox'

export const mailerSection = Type.Object(
  {
    enabled: Type.Boolean({ default: false, description: 'Send mail about issues to those who follow them.' }),
    protocol: Type.Union([Type.Literal('starttls'), Type.Literal('smtps'), Type.Literal('smtp')], {
      default: 'starttls',
      description:
        'starttls upgrades the connection to TLS and sends nothing to a server that cannot; smtps begins with TLS; ' +
        'smtp does not encrypt, for a relay on this machine.',
    }),
    host: Type.String({ default: '', description: 'Host name or address of the SMTP server.' }),
    port: Type.Integer({
      default: 587,
      minimum: 1,
      maximum: 65_535,
      description: 'TCP port of the SMTP server: usually 587 for starttls, 465 for smtps, 25 for smtp.',
    }),
    user: Type.String({ default: '', description: 'Name to sign in with; empty for a server that asks for none.' }),
    password: Type.String({ default: '', description: 'Password to sign in with.' }),
    password_file: Type.String({
      default: '',
      description: 'File that contains the password, in place of mailer.password. Read when the server starts.',
    }),
    ca_file: Type.String({
      default: '',
      description: 'File with further certificates, in PEM, that the certificate of the server may be signed by.',
    }),
    from: Type.String({
      default: '',
      pattern: String.raw`^$|^(?:[^<>\r\n]* )?<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$`,
      description: 'Address that mail is sent from, such as "Ingot <git@example.org>".',
    }),
    subject_prefix: Type.String({
      default: '',
      pattern: String.raw`^[^\r\n]{0,100}$`,
      description: 'Text before the subject of every mail.',
    }),
  },
  { additionalProperties: false, description: 'Mail about issues (docs/operate/mail.md).' },
)
