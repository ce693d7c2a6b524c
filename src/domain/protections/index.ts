/** Who may change which branches and tags of a repository. */
export { createBranchProtections, type BranchProtections, type BranchRuleChange, type BranchRuleView } from './branch-protections.ts'
export { branchRuleCopier } from './copy-rules.ts'
export { createTagProtections, type TagProtections, type TagRuleChange, type TagRuleView } from './tag-protections.ts'
export { loadBranchRules, loadTagRules } from './facts.ts'
