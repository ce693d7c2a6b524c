import { type Static, Type } from '@sinclair/typebox'

const MAX_PATTERNS = 100
const settings = {
  allow: Type.Array(Type.String({ maxLength: 255 }), {
    maxItems: MAX_PATTERNS,
    description: 'Names of packages that are looked up, in which * stands for any characters; all if empty',
  }),
  min_age_days: Type.Integer({
    minimum: 0,
    maximum: 3650,
    description: 'Younger versions are left out; 0 for none. For types whose indexes tell the age: npm, pypi, cargo',
  }),
  offline: Type.Boolean({ description: 'Only stored copies are given out' }),
}
const url = Type.String({ maxLength: 2048, description: 'The address of the registry, as its client uses it' })

export const PackageUpstream = Type.Object(
  {
    type: Type.String({ description: 'Of the registry, such as npm' }),
    url,
    has_credentials: Type.Boolean(),
    ...settings,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  {
    $id: 'PackageUpstream',
    description: 'A registry of another server that is asked for packages which the owner does not have',
  },
)
export type PackageUpstream = Static<typeof PackageUpstream>

export const SavePackageUpstreamOption = Type.Object(
  {
    url,
    ...Type.Partial(Type.Object(settings)).properties,
    username: Type.Optional(Type.String({ maxLength: 255, description: 'Empty if the password is a token' })),
    password: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'Or a token. Empty for none; without it, the former one stays as long as the server is the same',
      }),
    ),
  },
  { $id: 'SavePackageUpstreamOption' },
)
export type SavePackageUpstreamOption = Static<typeof SavePackageUpstreamOption>
