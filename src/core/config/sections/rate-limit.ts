import { Type } from '@sinclair/typebox'

export const rateLimitSection = Type.Object(
  {
    anonymous_per_minute: Type.Integer({
      default: 300,
      minimum: 0,
      description:
        'Expensive anonymous requests per minute (rendering, searches, comparisons, diffs; an archive counts as five), which is also the burst size. 0 for no limit.',
    }),
    passwords_per_minute: Type.Integer({
      default: 120,
      minimum: 0,
      description:
        'Password checks per minute, which is also the burst size. A correct password is not checked again for a minute. 0 for no limit.',
    }),
  },
  {
    additionalProperties: false,
    description:
      'Limits per client address; IPv6 counts by /64. Behind a reverse proxy, server.trust_proxy must be on, else all clients share one address.',
  },
)
