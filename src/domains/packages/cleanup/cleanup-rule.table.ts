import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** Selects the versions of a type of an owner that are deleted nightly. */
export interface PackageCleanupRuleTable {
  id: Generated<number>
  owner_id: number
  /** A value of `package.type`; unique per owner. */
  type: string
  is_enabled: Flag
  /** The newest versions of each package that stay; 0 for none. */
  keep_count: number
  /** A regular expression; empty for none. */
  keep_pattern: string
  /** 0 for any age. */
  remove_days: number
  /** A regular expression; empty for all versions. */
  remove_pattern: string
  /** The patterns are compared with `package/version`. */
  matches_full_name: Flag
  /** The account that saved the rule, by whose rights it deletes; may be deleted. */
  author_id: number
  /** A `CredentialRestriction` of the author, as JSON; empty for none. */
  restriction: string
  created_at: number
  updated_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    package_cleanup_rule: PackageCleanupRuleTable
  }
}
