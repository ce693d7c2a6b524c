import { type Static, Type } from '@sinclair/typebox'
import { BATCH_ITEMS, NAME_LENGTH } from '../../../core/http/body/limits.ts'

export const BranchProtection = Type.Object(
  {
    approvals_whitelist_teams: Type.Array(Type.String()),
    approvals_whitelist_username: Type.Array(Type.String()),
    block_admin_merge_override: Type.Boolean(),
    block_on_official_review_requests: Type.Boolean(),
    block_on_outdated_branch: Type.Boolean(),
    block_on_rejected_reviews: Type.Boolean(),
    branch_name: Type.String(),
    bypass_allowlist_teams: Type.Array(Type.String()),
    bypass_allowlist_usernames: Type.Array(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
    dismiss_stale_approvals: Type.Boolean(),
    enable_approvals_whitelist: Type.Boolean(),
    enable_bypass_allowlist: Type.Boolean(),
    enable_force_push: Type.Boolean(),
    enable_force_push_allowlist: Type.Boolean(),
    enable_merge_whitelist: Type.Boolean(),
    enable_push: Type.Boolean(),
    enable_push_whitelist: Type.Boolean(),
    enable_status_check: Type.Boolean(),
    force_push_allowlist_deploy_keys: Type.Boolean(),
    force_push_allowlist_teams: Type.Array(Type.String()),
    force_push_allowlist_usernames: Type.Array(Type.String()),
    ignore_stale_approvals: Type.Boolean(),
    merge_whitelist_teams: Type.Array(Type.String()),
    merge_whitelist_usernames: Type.Array(Type.String()),
    priority: Type.Integer(),
    protected_file_patterns: Type.String(),
    push_whitelist_deploy_keys: Type.Boolean(),
    push_whitelist_teams: Type.Array(Type.String()),
    push_whitelist_usernames: Type.Array(Type.String()),
    require_signed_commits: Type.Boolean(),
    required_approvals: Type.Integer(),
    rule_name: Type.String(),
    status_check_contexts: Type.Array(Type.String()),
    unprotected_file_patterns: Type.String(),
    updated_at: Type.String({ format: 'date-time' }),
    apply_to_admins: Type.Boolean(),
  },
  { $id: 'BranchProtection' },
)
export type BranchProtection = Static<typeof BranchProtection>

export const TagProtection = Type.Object(
  {
    created_at: Type.String({ format: 'date-time' }),
    id: Type.Integer(),
    name_pattern: Type.String(),
    updated_at: Type.String({ format: 'date-time' }),
    whitelist_teams: Type.Array(Type.String()),
    whitelist_usernames: Type.Array(Type.String()),
  },
  { $id: 'TagProtection' },
)
export type TagProtection = Static<typeof TagProtection>

const Names = Type.Optional(Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: 200 }))
const Switch = Type.Optional(Type.Boolean())
const Patterns = (description: string) => Type.Optional(Type.String({ maxLength: 4096, description }))

const ruleMembers = {
  approvals_whitelist_teams: Names,
  approvals_whitelist_username: Names,
  bypass_allowlist_teams: Names,
  bypass_allowlist_usernames: Names,
  force_push_allowlist_teams: Names,
  force_push_allowlist_usernames: Names,
  merge_whitelist_teams: Names,
  merge_whitelist_usernames: Names,
  push_whitelist_teams: Names,
  push_whitelist_usernames: Names,
  block_admin_merge_override: Switch,
  block_on_official_review_requests: Switch,
  block_on_outdated_branch: Switch,
  block_on_rejected_reviews: Switch,
  dismiss_stale_approvals: Switch,
  enable_bypass_allowlist: Switch,
  enable_approvals_whitelist: Switch,
  enable_force_push: Switch,
  enable_force_push_allowlist: Switch,
  enable_merge_whitelist: Switch,
  enable_push: Switch,
  enable_push_whitelist: Switch,
  enable_status_check: Switch,
  force_push_allowlist_deploy_keys: Switch,
  ignore_stale_approvals: Switch,
  push_whitelist_deploy_keys: Switch,
  require_signed_commits: Switch,
  apply_to_admins: Type.Optional(Type.Boolean({ description: 'Another name of block_admin_merge_override' })),
  priority: Type.Optional(
    Type.Integer({
      maximum: 2_147_483_647,
      description: 'Of the rules that match, the one with the lowest number applies; 0: after all others',
    }),
  ),
  required_approvals: Type.Optional(Type.Integer({ maximum: 2_147_483_647 })),
  protected_file_patterns: Patterns('Globs with semicolons between them: files that no push changes'),
  unprotected_file_patterns: Patterns('Globs with semicolons between them: files that all writers may change'),
  status_check_contexts: Type.Optional(
    Type.Array(Type.String({ maxLength: 1024 }), {
      maxItems: 200,
      description: 'Globs, of at most 20000 characters in all',
    }),
  ),
}

const RuleName = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }))

export const CreateBranchProtectionOption = Type.Object(
  { rule_name: RuleName('Branch or glob'), branch_name: RuleName('Former name of rule_name'), ...ruleMembers },
  { $id: 'CreateBranchProtectionOption' },
)
export type CreateBranchProtectionOption = Static<typeof CreateBranchProtectionOption>

export const EditBranchProtectionOption = Type.Object(ruleMembers, { $id: 'EditBranchProtectionOption' })
export type EditBranchProtectionOption = Static<typeof EditBranchProtectionOption>

export const UpdateBranchProtectionPriories = Type.Object(
  { ids: Type.Array(Type.Integer(), { maxItems: BATCH_ITEMS }) },
  { $id: 'UpdateBranchProtectionPriories' },
)
export type UpdateBranchProtectionPriories = Static<typeof UpdateBranchProtectionPriories>

const tagMembers = {
  name_pattern: Type.Optional(
    Type.String({ maxLength: 255, description: 'Glob, or a regular expression (RE2) between slashes' }),
  ),
  whitelist_teams: Names,
  whitelist_usernames: Names,
}

export const CreateTagProtectionOption = Type.Object(tagMembers, { $id: 'CreateTagProtectionOption' })
export type CreateTagProtectionOption = Static<typeof CreateTagProtectionOption>

export const EditTagProtectionOption = Type.Object(tagMembers, { $id: 'EditTagProtectionOption' })
export type EditTagProtectionOption = Static<typeof EditTagProtectionOption>
