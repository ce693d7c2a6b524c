import type { BranchRuleSettings } from './branch-rules.policy.ts'

export type BranchRuleInput = { readonly [K in keyof BranchRuleSettings]?: BranchRuleSettings[K] | undefined }

const OFF: BranchRuleSettings = {
  enablePush: false,
  enablePushWhitelist: false,
  pushWhitelistDeployKeys: false,
  enableForcePush: false,
  enableForcePushAllowlist: false,
  forcePushAllowlistDeployKeys: false,
  enableMergeWhitelist: false,
  enableStatusCheck: false,
  statusCheckContexts: [],
  requiredApprovals: 0,
  enableApprovalsWhitelist: false,
  blockOnRejectedReviews: false,
  blockOnOfficialReviewRequests: false,
  blockOnOutdatedBranch: false,
  dismissStaleApprovals: false,
  ignoreStaleApprovals: false,
  requireSignedCommits: false,
  protectedFilePatterns: '',
  unprotectedFilePatterns: '',
  blockAdminMergeOverride: false,
}

/** Each switch counts only where the one after it is on. */
const PARENTS = [
  ['enablePushWhitelist', 'enablePush'],
  ['pushWhitelistDeployKeys', 'enablePush'],
  ['enableForcePush', 'enablePush'],
  ['enableForcePushAllowlist', 'enableForcePush'],
  ['forcePushAllowlistDeployKeys', 'enableForcePush'],
] as const

/** Of a new rule: what is not named is off. */
export function newRuleSettings(input: BranchRuleInput): BranchRuleSettings {
  const settings = laidOver(OFF, input)
  return masked({ ...settings, requiredApprovals: Math.max(0, settings.requiredApprovals) })
}

/**
 * A rule after an edit: what is not named stays. A switch is turned on only together with the one it depends on, and is
 * turned off with it (behaviour/pull-requests#branch-protection).
 */
export function editedRuleSettings(present: BranchRuleSettings, input: BranchRuleInput): BranchRuleSettings {
  const taken: Record<string, unknown> = { ...input }
  for (const [child, parent] of PARENTS) if (input[child] && !(input[parent] && taken[parent])) delete taken[child]
  if (input.requiredApprovals !== undefined && input.requiredApprovals < 0) delete taken['requiredApprovals']
  return masked(laidOver(present, taken))
}

function laidOver(settings: BranchRuleSettings, input: BranchRuleInput): BranchRuleSettings {
  return { ...settings, ...Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) }
}

function masked(settings: BranchRuleSettings): BranchRuleSettings {
  const made: Record<string, unknown> & BranchRuleSettings = { ...settings }
  for (const [child, parent] of PARENTS) if (!made[parent]) Object.assign(made, { [child]: false })
  return made
}
