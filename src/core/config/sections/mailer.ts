import { Type } from '@sinclair/typebox'

export const mailerSection = Type.Object(
  {
    enabled: Type.Boolean({ default: false, description: 'Send mail about issues to participants and watchers.' }),
    protocol: Type.Union([Type.Literal('starttls'), Type.Literal('smtps'), Type.Literal('smtp')], {
      default: 'starttls',
      description:
        'starttls upgrades the connection to TLS and sends nothing to a server without TLS; smtps starts with TLS; ' +
        'smtp does not encrypt, for a relay on this machine.',
    }),
    host: Type.String({ default: '', description: 'Host name or address of the SMTP server.' }),
    port: Type.Integer({
      default: 587,
      minimum: 1,
      maximum: 65_535,
      description: 'TCP port of the SMTP server: usually 587 for starttls, 465 for smtps, 25 for smtp.',
    }),
    user: Type.String({
      default: '',
      description: 'User name for the SMTP server; empty for a server without authentication.',
    }),
    password: Type.String({ default: '', description: 'Password for the SMTP server.' }),
    password_file: Type.String({
      default: '',
      description: 'File that contains the password, instead of mailer.password. Read when the server starts.',
    }),
    ca_file: Type.String({
      default: '',
      description: 'PEM file with additional CA certificates to trust for the SMTP server.',
    }),
    from: Type.String({
      default: '',
      pattern: String.raw`^$|^(?:[^<>\r\n]* )?<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$`,
      description: 'Sender address, such as "Ingot <git@example.org>".',
    }),
    subject_prefix: Type.String({
      default: '',
      pattern: String.raw`^[^\r\n]{0,100}$`,
      description: 'Prefix of the subject of every mail.',
    }),
  },
  { additionalProperties: false, description: 'Mail about issues (docs/operate/mail.md).' },
)
