import type { RepoUrls } from '../../../../core/access/repo-urls.ts'
import { presentPayloadCommit } from '../../history/commit.present.ts'
import type { BranchRights } from './branch-rights.ts'
import type { Branch } from './branch.model.ts'
import type { BranchView } from './branches.service.ts'

export function presentBranch(branch: BranchView, { rule, ...rights }: BranchRights, urls: RepoUrls): Branch {
  return {
    name: branch.name,
    commit: presentPayloadCommit(branch.tip, urls),
    protected: rule !== undefined,
    required_approvals: rule?.requiredApprovals ?? 0,
    enable_status_check: rule?.enableStatusCheck ?? false,
    status_check_contexts: [...(rule?.statusCheckContexts ?? [])],
    user_can_push: rights.canPush,
    user_can_merge: rights.canMerge,
    effective_branch_protection_name: rights.seesRules ? (rule?.name ?? '') : '',
  }
}
