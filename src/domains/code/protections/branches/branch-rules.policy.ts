import { createPauses } from '../../../../core/platform/concurrency/pauses.ts'
import { compileGlob, isGlob, type Matcher } from '../../../../core/platform/patterns/glob.ts'

/** The lists of users and teams of a rule. */
export type RuleList = 'push' | 'force' | 'merge' | 'approvals' | 'bypass'
export const RULE_LISTS: readonly RuleList[] = ['push', 'force', 'merge', 'approvals', 'bypass']

/** The settings of a rule (behaviour/pull-requests#branch-protection). */
export interface BranchRuleSettings {
  readonly enablePush: boolean
  readonly enablePushWhitelist: boolean
  readonly pushWhitelistDeployKeys: boolean
  readonly enableForcePush: boolean
  readonly enableForcePushAllowlist: boolean
  readonly forcePushAllowlistDeployKeys: boolean
  readonly enableMergeWhitelist: boolean
  readonly enableStatusCheck: boolean
  /** Globs in which `*` matches slashes too. */
  readonly statusCheckContexts: readonly string[]
  readonly requiredApprovals: number
  readonly enableApprovalsWhitelist: boolean
  readonly blockOnRejectedReviews: boolean
  readonly blockOnOfficialReviewRequests: boolean
  readonly blockOnOutdatedBranch: boolean
  readonly dismissStaleApprovals: boolean
  readonly ignoreStaleApprovals: boolean
  readonly requireSignedCommits: boolean
  /** Globs separated by semicolons. */
  readonly protectedFilePatterns: string
  readonly unprotectedFilePatterns: string
  /** Whether the merge conditions also apply to repository administrators. */
  readonly blockAdminMergeOverride: boolean
  /** Whether the users of a list may override the merge conditions as administrators may. */
  readonly enableBypassAllowlist: boolean
}

export interface BranchRule extends BranchRuleSettings {
  readonly id: number
  /** The name of a branch, or a glob. */
  readonly name: string
  /** Of the rules that match a branch, only the one with the lowest priority applies. */
  readonly priority: number
}

/** The rules of a repository and, by rule, the lists that contain one user. */
export interface BranchRuleFacts {
  readonly rules: readonly BranchRule[]
  readonly listed: ReadonlyMap<number, ReadonlySet<RuleList>>
  /** The rule that applies to a branch. */
  readonly ruleOf: RuleFinder<BranchRule>
}

/** Finds the first rule that matches a branch: only that one applies. Yields to the event loop: globs may take long. */
export type RuleFinder<R> = (branch: string) => Promise<R | undefined>

/** NOTE: a push may contain many branches; the globs are compiled once for all of them. */
export const branchRuleFacts = (
  rules: readonly BranchRule[],
  listed: ReadonlyMap<number, ReadonlySet<RuleList>>,
): BranchRuleFacts => ({ rules, listed, ruleOf: createRuleFinder(rules) })

export const NO_BRANCH_RULES: BranchRuleFacts = {
  rules: [],
  listed: new Map(),
  ruleOf: () => Promise.resolve(undefined),
}

/** The rights of a user for one rule. */
export interface RuleRights {
  /** Whether the user has write access to the code. */
  readonly canWrite: boolean
  readonly isDeployKey: boolean
  readonly lists: ReadonlySet<RuleList>
}

/** An update of the branch by merging pull requests, which requires merge permission instead of push permission. */
export interface MergeMove {
  /** Whether an administrator overrides the rule: the merge may change protected files. */
  readonly isForced: boolean
}

interface BranchCommand {
  readonly branch: string
  readonly kind: 'create' | 'update' | 'delete'
  /** Undefined for a push. */
  readonly merge?: MergeMove | undefined
}

/** Globs separated by semicolons. */
export interface FilePatterns {
  readonly protectedFiles: string
  readonly unprotectedFiles: string
}

/** The data about a change that a decision depends on. */
export interface EvidenceNeeded {
  readonly force: boolean
  readonly signatures: boolean
  /** The patterns to compare the changed files with. */
  readonly files: FilePatterns | undefined
}

export interface PushEvidence {
  /** Whether the branch loses commits. */
  readonly isForced: boolean
  /** A new commit without a valid signature. */
  readonly unverified?: string | undefined
  /** The first protected file that the change touches. */
  readonly protectedFile?: string | undefined
  /** Whether the change touches files, and all of them are unprotected. */
  readonly areAllUnprotected: boolean
}

export const NO_EVIDENCE: PushEvidence = { isForced: false, areAllUnprotected: false }

export interface Refusal {
  readonly reason: 'access' | 'name' | 'default-branch' | 'deletion' | 'force' | 'signature' | 'file' | 'push' | 'tag'
  /** The message that clients expect (behaviour/git-data-and-transport#push-rules). */
  readonly text: string
  /** The protected file, for the reason `file`. */
  readonly path?: string
}

/** Sorts rules into evaluation order: by priority, plain names before globs, older before newer. */
export function inRuleOrder<R extends Pick<BranchRule, 'id' | 'name' | 'priority'>>(rules: readonly R[]): R[] {
  return rules.toSorted(
    (a, b) => a.priority - b.priority || Number(isGlob(a.name)) - Number(isGlob(b.name)) || a.id - b.id,
  )
}

export function createRuleFinder<R extends Pick<BranchRule, 'id' | 'name' | 'priority'>>(
  rules: readonly R[],
): RuleFinder<R> {
  const tried = inRuleOrder(rules).map((rule) => ({ rule, matches: matcherOf(rule.name) }))
  const pause = createPauses()
  return async (branch) => {
    for (const { rule, matches } of tried) {
      await pause()
      if (matches(branch)) return rule
    }
    return undefined
  }
}

/** Plain names are compared as in `findOwnRule`; in globs `*` stops at slashes. */
const matcherOf = (name: string): Matcher =>
  isGlob(name) ? compileGlob(name, '/') : (branch) => isSameName(name, branch)

/**
 * The first rule whose name is the name of the branch, case-insensitively. Globs that match the branch do not count.
 */
export const findOwnRule = <R extends Pick<BranchRule, 'id' | 'name' | 'priority'>>(
  rules: readonly R[],
  branch: string,
): R | undefined => inRuleOrder(rules).find(({ name }) => isSameName(name, branch))

const isSameName = (name: string, branch: string): boolean => name.toLowerCase() === branch.toLowerCase()

/** Neither owners nor administrators are exempt. */
export function canPush(rule: BranchRule, { canWrite, isDeployKey, lists }: RuleRights): boolean {
  if (!canWrite || !rule.enablePush) return false
  if (!rule.enablePushWhitelist) return true
  return isDeployKey ? rule.pushWhitelistDeployKeys : lists.has('push')
}

function canForcePush(rule: BranchRule, rights: RuleRights): boolean {
  if (!rule.enableForcePushAllowlist) return true
  return rights.isDeployKey ? rule.forcePushAllowlistDeployKeys : rights.lists.has('force')
}

/** Users on the merge list need no write access. */
export function canMerge(rule: BranchRule, { canWrite, lists }: RuleRights): boolean {
  return rule.enableMergeWhitelist ? lists.has('merge') : canWrite
}

/** Whether the user may override the merge conditions; administrators of the repository may, too. */
export const canOverride = (rule: BranchRule, isAdmin: boolean, lists: ReadonlySet<RuleList>): boolean =>
  !rule.blockAdminMergeOverride && (isAdmin || (rule.enableBypassAllowlist && lists.has('bypass')))

/**
 * Whether approvals and rejections of a user count (behaviour/pull-requests#reviews). Users on the list of approvals
 * need no write access.
 */
export function isOfficial(
  rule: BranchRule | undefined,
  { canWrite, lists }: Omit<RuleRights, 'isDeployKey'>,
): boolean {
  return rule?.enableApprovalsWhitelist ? lists.has('approvals') : canWrite
}

/** The evidence that `ruleRefusal` needs for this command. */
export function evidenceNeeded(rule: BranchRule, { kind, merge }: BranchCommand, rights: RuleRights): EvidenceNeeded {
  const isNew = kind !== 'delete'
  const protectedFiles = merge?.isForced ? '' : rule.protectedFilePatterns
  const unprotectedFiles = merge ? '' : rule.unprotectedFilePatterns
  const mayBeUnprotected = kind === 'update' && !canPush(rule, rights) && unprotectedFiles !== ''
  return {
    force: kind === 'update',
    signatures: isNew && rule.requireSignedCommits,
    files: isNew && (protectedFiles !== '' || mayBeUnprotected) ? { protectedFiles, unprotectedFiles } : undefined,
  }
}

/**
 * The reason why a rule refuses a change of a branch, checked in this order: deletion, force, signatures, files,
 * permission to push or to merge.
 */
export function ruleRefusal(
  rule: BranchRule,
  command: BranchCommand,
  rights: RuleRights,
  evidence: PushEvidence,
): Refusal | undefined {
  const { branch, kind, merge } = command
  if (kind === 'delete') return { reason: 'deletion', text: `branch ${branch} is protected from deletion` }
  const { isForced, unverified, protectedFile: path } = evidence
  if (isForced && !rule.enableForcePush)
    return { reason: 'force', text: `branch ${branch} is protected from force push` }
  if (unverified !== undefined)
    return { reason: 'signature', text: `branch ${branch} is protected from unverified commit ${unverified}` }
  if (path !== undefined && !merge?.isForced)
    return { reason: 'file', text: `branch ${branch} is protected from changing file ${path}`, path }
  if (!merge) return pushRightRefusal(rule, command, rights, evidence)
  if (canMerge(rule, rights)) return undefined
  return { reason: 'push', text: `Not allowed to merge into protected branch ${branch}` }
}

function pushRightRefusal(
  rule: BranchRule,
  { branch, kind }: BranchCommand,
  rights: RuleRights,
  { isForced, areAllUnprotected }: PushEvidence,
): Refusal | undefined {
  if (!canPush(rule, rights)) {
    // NOTE: unprotected files allow only fast-forward updates: a new or rewritten branch contains more than the changed
    // files.
    const isAllowed = kind === 'update' && !isForced && areAllUnprotected
    return isAllowed ? undefined : { reason: 'push', text: `Not allowed to push to protected branch ${branch}` }
  }
  if (isForced && !canForcePush(rule, rights))
    return { reason: 'force', text: `Not allowed to force-push to protected branch ${branch}` }
  return undefined
}
