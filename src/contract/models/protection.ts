import { Type, type Static } from '@sinclair/typebox'

export const BranchProtection = Type.Object(
  {
    approvals_whitelist_teams: Type.Array(Type.String()),
    approvals_whitelist_username: Type.Array(Type.String()),
    block_admin_merge_override: Type.Boolean(),
    block_on_official_review_requests: Type.Boolean(),
    block_on_outdated_branch: Type.Boolean(),
    block_on_rejected_reviews: Type.Boolean(),
    branch_name: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    dismiss_stale_approvals: Type.Boolean(),
    enable_approvals_whitelist: Type.Boolean(),
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
