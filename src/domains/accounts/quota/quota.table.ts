import type { Generated } from 'kysely'

export interface QuotaRuleTable {
  id: Generated<number>
  name: string
  /** Bytes; -1 is no limit. */
  size_limit: number
  /** JSON array of the limited subjects, see quota.policy.ts. */
  subjects: Generated<string>
}

export interface QuotaGroupTable {
  id: Generated<number>
  name: string
}

export interface QuotaGroupRuleTable {
  group_id: number
  rule_id: number
}

/** Users and organizations: owners of repositories. */
export interface QuotaGroupUserTable {
  user_id: number
  group_id: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    quota_group: QuotaGroupTable
    quota_group_rule: QuotaGroupRuleTable
    quota_group_user: QuotaGroupUserTable
    quota_rule: QuotaRuleTable
  }
}
