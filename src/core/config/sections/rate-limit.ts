import { Type } from '@sinclair/typebox'

export const rateLimitSection = Type.Object(
  {
    anonymous_per_minute: Type.Integer({
      default: 300,
      minimum: 0,
      description:
        'Requests per minute without credentials that make the server compute: rendering, searches, comparisons, diffs; an archive counts as five. 0 for no limit. As many may come at once.',
    }),
    passwords_per_minute: Type.Integer({
      default: 120,
      minimum: 0,
      description:
        'Password checks per minute. A password that was right is not checked again for a minute. 0 for no limit. As many may come at once.',
    }),
  },
  {
    additionalProperties: false,
    description:
      'Limits for each address; IPv6 counts by /64. Behind a reverse proxy server.trust_proxy must be on, else all clients have one address.',
  },
)
