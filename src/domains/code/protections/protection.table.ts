import type { Generated } from 'kysely'
import type { RuleList } from './branches/branch-rules.policy.ts'

export interface BranchRuleTable {
  id: Generated<number>
  repo_id: number
  /** The name of a branch, or a glob. */
  name: string
  priority: number
  /** JSON: BranchRuleSettings. */
  settings: string
  created_at: number
  updated_at: number
}

interface BranchRuleUserTable {
  rule_id: number
  list: RuleList
  user_id: number
}

interface BranchRuleTeamTable {
  rule_id: number
  list: RuleList
  team_id: number
}

export interface TagRuleTable {
  id: Generated<number>
  repo_id: number
  /** A glob, or a regular expression between slashes. */
  pattern: string
  created_at: number
  updated_at: number
}

interface TagRuleUserTable {
  rule_id: number
  user_id: number
}

interface TagRuleTeamTable {
  rule_id: number
  team_id: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    branch_rule: BranchRuleTable
    branch_rule_team: BranchRuleTeamTable
    branch_rule_user: BranchRuleUserTable
    tag_rule: TagRuleTable
    tag_rule_team: TagRuleTeamTable
    tag_rule_user: TagRuleUserTable
  }
}
