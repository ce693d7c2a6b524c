import { Type } from '@sinclair/typebox'

export const packagesSection = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Serve the registries of packages.' }),
    max_file_size: Type.Integer({
      default: 0,
      minimum: 0,
      description: 'Maximum size of a file of a package, in bytes; 0 is no limit.',
    }),
  },
  { additionalProperties: false, description: 'Registries of packages.' },
)
