import { Type } from '@sinclair/typebox'

export const tlsSection = Type.Object(
  {
    cert_file: Type.String({
      default: '',
      description:
        'File with the certificate of the server and those of the authorities between it and the root, as PEM. Read ' +
        'again when it changes. With it, or with acme, the server speaks HTTPS: server.host is then 0.0.0.0 and ' +
        'server.port 443 unless they are set.',
    }),
    key_file: Type.String({
      default: '',
      description: 'File with the private key of that certificate, as PEM and not encrypted.',
    }),
    acme: Type.Boolean({
      default: false,
      description:
        'Get the certificate from the ACME server of acme_directory and renew it. Accepts the terms of service of ' +
        'that server.',
    }),
    acme_email: Type.String({
      default: '',
      pattern: '^$|^[^\\s@]+@[^\\s@]+$',
      description: 'Address that the ACME server may write to. Empty: none.',
    }),
    acme_directory: Type.String({
      default: 'https://acme-v02.api.letsencrypt.org/directory',
      pattern: '^https://',
      description:
        "Directory of the ACME server. For trials: https://acme-staging-v02.api.letsencrypt.org/directory, whose certificates browsers don't trust.",
    }),
    acme_ca_file: Type.String({
      default: '',
      description: 'File with the authorities to trust for the ACME server itself, as PEM. Empty: the usual ones.',
    }),
    acme_domains: Type.Array(
      Type.String({ pattern: '^(?!-)[a-z0-9-]{1,63}(?:\\.(?!-)[a-z0-9-]{1,63})*$', maxLength: 253 }),
      {
        default: [],
        maxItems: 100,
        description:
          'Names of the certificate beside the host of server.root_url, in lower case, without wildcards. Without a ' +
          'root_url the first one is the host of it.',
      },
    ),
    http_port: Type.Integer({
      default: -1,
      minimum: -1,
      maximum: 65_535,
      description:
        'Port on which HTTP requests are redirected to HTTPS. 0: none. -1: 80 where server.port is 443, otherwise none.',
    }),
    hsts_max_age: Type.Integer({
      default: 15_552_000,
      minimum: 0,
      maximum: 63_072_000,
      description:
        'Seconds for which browsers that were here may use HTTPS alone (Strict-Transport-Security). 0: not sent.',
    }),
  },
  { additionalProperties: false, description: 'HTTPS by the server itself (docs/operate/https.md).' },
)
