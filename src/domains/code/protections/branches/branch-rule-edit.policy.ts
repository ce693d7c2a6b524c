import type { BranchRuleSettings } from './branch-rules.policy.ts'

export type BranchRuleInput = { readonly [K in keyof BranchRuleSettings]?: BranchRuleSettings[K] | undefined }

const DEFAULTS: BranchRuleSettings = {
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

/** A switch, and the switch without which it has no effect. */
const PARENTS = [
  ['enablePushWhitelist', 'enablePush'],
  ['pushWhitelistDeployKeys', 'enablePush'],
  ['enableForcePush', 'enablePush'],
  ['enableForcePushAllowlist', 'enableForcePush'],
  ['forcePushAllowlistDeployKeys', 'enableForcePush'],
] as const

/** The settings of a new rule. Absent switches are off. */
export function newRuleSettings(input: BranchRuleInput): BranchRuleSettings {
  const settings = merged(DEFAULTS, input)
  return withoutOrphans({ ...settings, requiredApprovals: Math.max(0, settings.requiredApprovals) })
}

/**
 * The settings after an edit. Absent settings are not changed. A switch counts when its parent is on after the edit,
 * and is turned off with it (behaviour/pull-requests#branch-protection).
 */
export function editedRuleSettings(present: BranchRuleSettings, input: BranchRuleInput): BranchRuleSettings {
  const taken: Record<string, unknown> = { ...input }
  if (input.requiredApprovals !== undefined && input.requiredApprovals < 0) delete taken['requiredApprovals']
  return withoutOrphans(merged(present, taken))
}

function merged(settings: BranchRuleSettings, input: BranchRuleInput): BranchRuleSettings {
  return { ...settings, ...Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) }
}

/** Turns off every switch whose parent is off. */
function withoutOrphans(settings: BranchRuleSettings): BranchRuleSettings {
  const made: Record<string, unknown> & BranchRuleSettings = { ...settings }
  for (const [child, parent] of PARENTS) if (!made[parent]) Object.assign(made, { [child]: false })
  return made
}
