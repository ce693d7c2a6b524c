import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { UserModel as User } from '../../accounts/index.ts'

const PATTERN_LENGTH = 255
const pattern = (description: string) => Type.String({ maxLength: PATTERN_LENGTH, description })

const limits = {
  enabled: Type.Boolean({ description: 'Whether the rule is applied nightly' }),
  keep_count: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'The newest versions of each package that stay; 0 for none',
  }),
  keep_pattern: pattern('A regular expression; versions whose whole name it matches, in any case, stay'),
  remove_days: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    description: 'Younger versions stay; 0 for any age',
  }),
  remove_pattern: pattern('A regular expression; only versions whose whole name it matches, in any case, are deleted'),
  match_full_name: Type.Boolean({ description: 'The patterns are compared with package/version, not the version' }),
}

export const PackageCleanupRule = Type.Object(
  {
    type: Type.String({ description: 'Of the registry, such as npm' }),
    ...limits,
    author: Nullable(Type.Unsafe<User>(User)),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  {
    $id: 'PackageCleanupRule',
    description: 'Which versions are deleted nightly, by the rights of the account that saved the rule',
  },
)
export type PackageCleanupRule = Static<typeof PackageCleanupRule>

export const SavePackageCleanupRuleOption = Type.Partial(Type.Object(limits), {
  $id: 'SavePackageCleanupRuleOption',
  description: 'At least one of keep_count, keep_pattern, remove_days and remove_pattern. Enabled unless it says not.',
})
export type SavePackageCleanupRuleOption = Static<typeof SavePackageCleanupRuleOption>

export const RemovablePackageVersion = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String({ description: 'Of the package' }),
    version: Type.String(),
    changed_at: Type.String({ format: 'date-time', description: 'When its newest file was published' }),
  },
  { $id: 'RemovablePackageVersion', description: 'A version that a rule would delete now' },
)
export type RemovablePackageVersion = Static<typeof RemovablePackageVersion>
