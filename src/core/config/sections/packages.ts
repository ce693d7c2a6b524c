import { Type } from '@sinclair/typebox'

export const packagesSection = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Serve the registries of packages.' }),
    max_file_size: Type.Integer({
      default: 0,
      minimum: 0,
      description: 'Maximum size of a file of a package, in bytes; 0 is no limit.',
    }),
    upstream_hosts: Type.String({
      default: '',
      description:
        'Comma list of hosts of registries whose packages owners may have fetched: external (all public addresses), ' +
        'private, loopback, address ranges, host names (with *), or * for everything. If it is empty, there are no upstreams.',
    }),
    upstream_keep_days: Type.Integer({
      default: 30,
      minimum: 1,
      description: 'Days after which copies of packages of other registries are deleted if nobody has read them.',
    }),
  },
  { additionalProperties: false, description: 'Registries of packages.' },
)
