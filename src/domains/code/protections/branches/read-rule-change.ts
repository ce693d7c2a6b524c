import type { EditBranchProtectionOption } from '../protection.model.ts'
import type { BranchRuleChange } from './branch-protections.service.ts'

/** Converts a body of the contract to the change for the service. */
export function readRuleChange(body: EditBranchProtectionOption): BranchRuleChange {
  return {
    priority: body.priority,
    settings: {
      enablePush: body.enable_push,
      enablePushWhitelist: body.enable_push_whitelist,
      pushWhitelistDeployKeys: body.push_whitelist_deploy_keys,
      enableForcePush: body.enable_force_push,
      enableForcePushAllowlist: body.enable_force_push_allowlist,
      forcePushAllowlistDeployKeys: body.force_push_allowlist_deploy_keys,
      enableMergeWhitelist: body.enable_merge_whitelist,
      enableStatusCheck: body.enable_status_check,
      statusCheckContexts: body.status_check_contexts,
      requiredApprovals: body.required_approvals,
      enableApprovalsWhitelist: body.enable_approvals_whitelist,
      blockOnRejectedReviews: body.block_on_rejected_reviews,
      blockOnOfficialReviewRequests: body.block_on_official_review_requests,
      blockOnOutdatedBranch: body.block_on_outdated_branch,
      dismissStaleApprovals: body.dismiss_stale_approvals,
      ignoreStaleApprovals: body.ignore_stale_approvals,
      requireSignedCommits: body.require_signed_commits,
      protectedFilePatterns: body.protected_file_patterns,
      unprotectedFilePatterns: body.unprotected_file_patterns,
      blockAdminMergeOverride: body.block_admin_merge_override ?? body.apply_to_admins,
      enableBypassAllowlist: body.enable_bypass_allowlist,
    },
    users: {
      push: body.push_whitelist_usernames,
      force: body.force_push_allowlist_usernames,
      merge: body.merge_whitelist_usernames,
      approvals: body.approvals_whitelist_username,
      bypass: body.bypass_allowlist_usernames,
    },
    teams: {
      push: body.push_whitelist_teams,
      force: body.force_push_allowlist_teams,
      merge: body.merge_whitelist_teams,
      approvals: body.approvals_whitelist_teams,
      bypass: body.bypass_allowlist_teams,
    },
  }
}
