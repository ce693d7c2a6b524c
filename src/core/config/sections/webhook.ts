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
    retry_hours: Type.Integer({
      default: 24,
      minimum: 1,
      maximum: 720,
      description: 'Hours for which a delivery that fails is tried again before it counts as dead.',
    }),
    max_in_flight: Type.Integer({
      default: 64,
      minimum: 1,
      maximum: 1024,
      description: 'Deliveries that are sent at the same time, at most half of them for one account.',
    }),
    max_in_flight_per_host: Type.Integer({
      default: 16,
      minimum: 1,
      maximum: 1024,
      description:
        'Deliveries that are sent to one server at the same time, at most half of them for one account; of one webhook ' +
        'there is always one.',
    }),
    max_per_owner: Type.Integer({
      default: 100,
      minimum: 1,
      maximum: 100_000,
      description: 'Webhooks of one repository, of one account and of the site.',
    }),
    history_days: Type.Integer({
      default: 7,
      minimum: 1,
      maximum: 3650,
      description: 'Days for which deliveries that ended can be read.',
    }),
    history_per_hook: Type.Integer({
      default: 1000,
      minimum: 1,
      maximum: 100_000,
      description: 'Deliveries that ended and are kept of one webhook, the latest.',
    }),
  },
  { additionalProperties: false, description: 'Webhooks.' },
)
