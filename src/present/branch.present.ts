import type { Branch } from '../contract/models/branch.ts'
import type { BranchView } from '../domain/code/index.ts'
import { presentPayloadCommit } from './commit.present.ts'
import type { RepoUrls } from './repo-urls.ts'

/** What the viewer may do with a branch and which rule says so. */
export interface BranchRights {
  readonly canPush: boolean
  readonly canMerge: boolean
}

export function presentBranch(branch: BranchView, rights: BranchRights, urls: RepoUrls): Branch {
  return {
    name: branch.name,
    commit: presentPayloadCommit(branch.tip, urls),
    protected: false,
    required_approvals: 0,
    enable_status_check: false,
    status_check_contexts: [],
    user_can_push: rights.canPush,
    user_can_merge: rights.canMerge,
    effective_branch_protection_name: '',
  }
}
