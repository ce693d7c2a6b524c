import { wireTime } from '../../../core/platform/clock.ts'
import { isGlob } from '../../../core/platform/patterns/glob.ts'
import type { BranchRuleView } from './branches/branch-protections.service.ts'
import type { BranchProtection, TagProtection } from './protection.model.ts'
import type { TagRuleView } from './tags/tag-protections.service.ts'

export function presentBranchProtection({ rule, names: { users, teams } }: BranchRuleView): BranchProtection {
  return {
    rule_name: rule.name,
    // COMPAT: the former name of the member, present for rules of one branch
    // (test/code/protections/branch-protections.test.ts).
    branch_name: isGlob(rule.name) ? '' : rule.name,
    priority: rule.priority,
    enable_push: rule.enablePush,
    enable_push_whitelist: rule.enablePushWhitelist,
    push_whitelist_usernames: [...users.push],
    push_whitelist_teams: [...teams.push],
    push_whitelist_deploy_keys: rule.pushWhitelistDeployKeys,
    enable_force_push: rule.enableForcePush,
    enable_force_push_allowlist: rule.enableForcePushAllowlist,
    force_push_allowlist_usernames: [...users.force],
    force_push_allowlist_teams: [...teams.force],
    force_push_allowlist_deploy_keys: rule.forcePushAllowlistDeployKeys,
    enable_merge_whitelist: rule.enableMergeWhitelist,
    merge_whitelist_usernames: [...users.merge],
    merge_whitelist_teams: [...teams.merge],
    enable_status_check: rule.enableStatusCheck,
    status_check_contexts: [...rule.statusCheckContexts],
    required_approvals: rule.requiredApprovals,
    enable_approvals_whitelist: rule.enableApprovalsWhitelist,
    approvals_whitelist_username: [...users.approvals],
    approvals_whitelist_teams: [...teams.approvals],
    block_on_rejected_reviews: rule.blockOnRejectedReviews,
    block_on_official_review_requests: rule.blockOnOfficialReviewRequests,
    block_on_outdated_branch: rule.blockOnOutdatedBranch,
    dismiss_stale_approvals: rule.dismissStaleApprovals,
    ignore_stale_approvals: rule.ignoreStaleApprovals,
    require_signed_commits: rule.requireSignedCommits,
    protected_file_patterns: rule.protectedFilePatterns,
    unprotected_file_patterns: rule.unprotectedFilePatterns,
    block_admin_merge_override: rule.blockAdminMergeOverride,
    apply_to_admins: rule.blockAdminMergeOverride,
    enable_bypass_allowlist: rule.enableBypassAllowlist,
    bypass_allowlist_usernames: [...users.bypass],
    bypass_allowlist_teams: [...teams.bypass],
    created_at: wireTime(rule.createdAt),
    updated_at: wireTime(rule.updatedAt),
  }
}

export function presentTagProtection({ rule, users, teams }: TagRuleView): TagProtection {
  return {
    id: rule.id,
    name_pattern: rule.pattern,
    whitelist_usernames: [...users],
    whitelist_teams: [...teams],
    created_at: wireTime(rule.createdAt),
    updated_at: wireTime(rule.updatedAt),
  }
}
