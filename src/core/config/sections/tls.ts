import { Type } from '@sinclair/typebox'

export const tlsSection = Type.Object(
  {
    cert_file: Type.String({
      default: '',
      description:
        'PEM file with the certificate of the server, followed by its intermediate certificates. The server reloads ' +
        'it when it changes. With it, or with acme, the server speaks HTTPS; server.host then defaults to 0.0.0.0 and ' +
        'server.port to 443.',
    }),
    key_file: Type.String({
      default: '',
      description: 'PEM file with the private key of that certificate, not encrypted.',
    }),
    acme: Type.Boolean({
      default: false,
      description:
        'Obtain and renew the certificate from the ACME server at acme_directory. This accepts its terms of ' +
        'service.',
    }),
    acme_email: Type.String({
      default: '',
      pattern: '^$|^[^\\s@]+@[^\\s@]+$',
      description: 'Contact address for the ACME server. Empty: none.',
    }),
    acme_directory: Type.String({
      default: 'https://acme-v02.api.letsencrypt.org/directory',
      pattern: '^https://',
      description:
        "Directory URL of the ACME server. For tests: https://acme-staging-v02.api.letsencrypt.org/directory, whose certificates browsers don't trust.",
    }),
    acme_ca_file: Type.String({
      default: '',
      description: 'PEM file with the CA certificates to trust for the ACME server itself. Empty: those of the system.',
    }),
    acme_domains: Type.Array(
      Type.String({ pattern: '^(?!-)[a-z0-9-]{1,63}(?:\\.(?!-)[a-z0-9-]{1,63})*$', maxLength: 253 }),
      {
        default: [],
        maxItems: 100,
        description:
          'Further names in the certificate in addition to the host of server.root_url, in lower case, without wildcards. Without a ' +
          'root_url, the first name is its host.',
      },
    ),
    http_port: Type.Integer({
      default: -1,
      minimum: -1,
      maximum: 65_535,
      description:
        'Port on which HTTP requests are redirected to HTTPS. 0: none. -1: 80 if server.port is 443, otherwise none.',
    }),
    hsts_max_age: Type.Integer({
      default: 15_552_000,
      minimum: 0,
      maximum: 63_072_000,
      description:
        'Seconds for which browsers must use HTTPS after a visit (Strict-Transport-Security). 0: header not sent.',
    }),
  },
  { additionalProperties: false, description: 'HTTPS without a reverse proxy (docs/operate/https.md).' },
)
