import { Type } from '@sinclair/typebox'

export const webhookSection = Type.Object(
  {
    disabled: Type.Boolean({ default: false, description: 'Allow only site administrators to create webhooks.' }),
    allowed_hosts: Type.String({
      default: '',
      description:
        'Comma list of hosts that webhooks may reach: external (all public addresses), private, loopback, address ' +
        'ranges, host names (with *), or * for everything; empty is external.',
    }),
    deliver_timeout: Type.Integer({
      default: 5,
      minimum: 1,
      maximum: 60,
      description: 'Timeout of a delivery in seconds.',
    }),
    skip_tls_verify: Type.Boolean({
      default: false,
      description: 'Accept invalid certificates of receivers.',
    }),
    proxy_url: Type.String({
      default: '',
      pattern: String.raw`^$|^https?://[^\s/]+/?$`,
      description: 'HTTP proxy for deliveries, such as http://user:password@proxy:3128; empty for none.',
    }),
    proxy_hosts: Type.String({
      default: '',
      description: 'Comma list of host names (with *) reached through the proxy; empty is all.',
    }),
  },
  { additionalProperties: false, description: 'Webhooks.' },
)
