export { renameBranchRule } from './branches/branch-rule.store.ts'
export {
  type BranchRule,
  canMerge,
  canPush,
  type EvidenceNeeded,
  type MergeMove,
  findOwnRule,
  NO_BRANCH_RULES,
  NO_EVIDENCE,
  type PushEvidence,
  type Refusal,
} from './branches/branch-rules.policy.ts'
export { compareFiles } from './branches/file-patterns.policy.ts'
export { loadBranchRules, loadTagRules } from './facts.ts'
export { isOfficialReviewer, isOfficialTeam } from './official.ts'
export {
  firstDefaultBranch,
  pushEvidenceNeeded,
  type PushFacts,
  pushRefusal,
  rightsFor,
  rulesOfRef,
} from './push-rules.policy.ts'
export {
  type CombinedState,
  combineStates,
  requiredChecksState,
  STATUS_STATES,
  type StatusState,
} from './branches/status-checks.policy.ts'
export { mayChangeTag } from './tags/tag-rules.policy.ts'
