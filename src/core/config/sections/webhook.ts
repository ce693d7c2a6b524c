import { Type } from '@sinclair/typebox'

export const webhookSection = Type.Object(
  {
    disabled: Type.Boolean({ default: false, description: 'Let only site administrators have webhooks.' }),
    allowed_hosts: Type.String({
      default: '',
      description:
        'Comma list of what webhooks may reach: external (all public addresses), private, loopback, address ' +
        'ranges, host names (with *), or * for everything; empty is external.',
    }),
    deliver_timeout: Type.Integer({
      default: 5,
      minimum: 1,
      maximum: 60,
      description: 'Seconds in which a receiver must have answered.',
    }),
    skip_tls_verify: Type.Boolean({
      default: false,
      description: 'Accept certificates of receivers without a valid chain of trust.',
    }),
    proxy_url: Type.String({
      default: '',
      pattern: String.raw`^$|^https?://[^\s/]+/?$`,
      description: 'HTTP proxy that deliveries go through, such as http://user:password@proxy:3128; empty for none.',
    }),
    proxy_hosts: Type.String({
      default: '',
      description: 'Comma list of the host names (with *) that are reached through the proxy; empty is all.',
    }),
  },
  { additionalProperties: false, description: 'Webhooks.' },
)
