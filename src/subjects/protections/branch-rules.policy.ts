import { compileGlob, isGlob, type Matcher } from '../../platform/patterns/glob.ts'

/** Who is named by a rule, and for what. */
export type RuleList = 'push' | 'force' | 'merge' | 'approvals'
export const RULE_LISTS: readonly RuleList[] = ['push', 'force', 'merge', 'approvals']

/** What a rule asks for (behaviour/pull-requests#branch-protection). Off until set. */
export interface BranchRuleSettings {
  readonly enablePush: boolean
  readonly enablePushWhitelist: boolean
  readonly pushWhitelistDeployKeys: boolean
  readonly enableForcePush: boolean
  readonly enableForcePushAllowlist: boolean
  readonly forcePushAllowlistDeployKeys: boolean
  readonly enableMergeWhitelist: boolean
  readonly enableStatusCheck: boolean
  /** Globs in which `*` crosses slashes. */
  readonly statusCheckContexts: readonly string[]
  readonly requiredApprovals: number
  readonly enableApprovalsWhitelist: boolean
  readonly blockOnRejectedReviews: boolean
  readonly blockOnOfficialReviewRequests: boolean
  readonly blockOnOutdatedBranch: boolean
  readonly dismissStaleApprovals: boolean
  readonly ignoreStaleApprovals: boolean
  readonly requireSignedCommits: boolean
  /** Globs with semicolons between them. */
  readonly protectedFilePatterns: string
  readonly unprotectedFilePatterns: string
  /** Repository administrators are bound by the merge conditions too. */
  readonly blockAdminMergeOverride: boolean
}

export interface BranchRule extends BranchRuleSettings {
  readonly id: number
  /** Of a branch, or a glob. */
  readonly name: string
  /** The lowest of the rules that match holds. */
  readonly priority: number
}

/** The rules of a repository, and the lists of theirs that one user is in, by rule. */
export interface BranchRuleFacts {
  readonly rules: readonly BranchRule[]
  readonly listed: ReadonlyMap<number, ReadonlySet<RuleList>>
  /** The rule that holds for a branch. */
  ruleOf(branch: string): BranchRule | undefined
}

/** NOTE: a push may name many branches; the globs are compiled once for all of them. */
export const branchRuleFacts = (
  rules: readonly BranchRule[],
  listed: ReadonlyMap<number, ReadonlySet<RuleList>>,
): BranchRuleFacts => ({ rules, listed, ruleOf: createRuleFinder(rules) })

export const NO_BRANCH_RULES: BranchRuleFacts = { rules: [], listed: new Map(), ruleOf: () => undefined }

/** The rights of a user for one rule. */
export interface RuleRights {
  /** Write access to the code. */
  readonly canWrite: boolean
  readonly isDeployKey: boolean
  readonly lists: ReadonlySet<RuleList>
}

export interface BranchCommand {
  readonly branch: string
  readonly kind: 'create' | 'update' | 'delete'
}

/** What has to be found out about a change before it can be decided. */
export interface EvidenceNeeded {
  readonly force: boolean
  readonly signatures: boolean
  readonly files: boolean
}

export interface PushEvidence {
  /** The branch loses commits. */
  readonly isForced: boolean
  /** A new commit without a good signature. */
  readonly unverified?: string | undefined
  /** Paths that the change touches. */
  readonly files: readonly string[]
}

export const NO_EVIDENCE: PushEvidence = { isForced: false, files: [] }

export interface Refusal {
  readonly reason: 'access' | 'default-branch' | 'deletion' | 'force' | 'signature' | 'file' | 'push' | 'tag'
  /** In the words that clients know (behaviour/git-data-and-transport#push-rules). */
  readonly text: string
  /** The file, where that is the reason. */
  readonly path?: string
}

/** In the order in which they are tried: by priority, plain names before globs, the older first. */
export function inRuleOrder<R extends Pick<BranchRule, 'id' | 'name' | 'priority'>>(rules: readonly R[]): R[] {
  return rules.toSorted(
    (a, b) => a.priority - b.priority || Number(isGlob(a.name)) - Number(isGlob(b.name)) || a.id - b.id,
  )
}

/** The rule that holds for a branch: the first that matches; rules do not add up. */
export function createRuleFinder<R extends Pick<BranchRule, 'id' | 'name' | 'priority'>>(
  rules: readonly R[],
): (branch: string) => R | undefined {
  const tried = inRuleOrder(rules).map((rule) => ({ rule, matches: matcherOf(rule.name) }))
  return (branch) => tried.find(({ matches }) => matches(branch))?.rule
}

/** Plain names are compared without regard to case; in globs `*` stops at slashes. */
function matcherOf(name: string): Matcher {
  if (isGlob(name)) return compileGlob(name, '/')
  const wanted = name.toLowerCase()
  return (branch) => branch.toLowerCase() === wanted
}

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

/** Those on the merge list need no write access. */
export function canMerge(rule: BranchRule, { canWrite, lists }: RuleRights): boolean {
  return rule.enableMergeWhitelist ? lists.has('merge') : canWrite
}

/** The first of the paths that a rule keeps from being changed. */
export function findProtectedFile(patterns: string, files: readonly string[]): string | undefined {
  const matches = filePatterns(patterns)
  return matches && files.find(matches)
}

/** NOTE: a change of nothing is not a change of these files. */
export function areAllUnprotected(patterns: string, files: readonly string[]): boolean {
  const matches = filePatterns(patterns)
  return matches !== undefined && files.length > 0 && files.every(matches)
}

/**
 * COMPAT: paths are compared in lower case, and `*` stops at dots as well as at slashes
 * (behaviour/repositories#branch-protections; src/subjects/protections/branch-rules.policy.test.ts).
 */
function filePatterns(patterns: string): Matcher | undefined {
  const matchers = patterns
    .toLowerCase()
    .split(';')
    .map((pattern) => pattern.trim())
    .filter(Boolean)
    .map((pattern) => compileGlob(pattern, './'))
  return matchers.length === 0 ? undefined : (path) => matchers.some((matches) => matches(path.toLowerCase()))
}

export function evidenceNeeded(rule: BranchRule, { kind }: BranchCommand, rights: RuleRights): EvidenceNeeded {
  const isNew = kind !== 'delete'
  const mayBeOpen = kind === 'update' && !canPush(rule, rights) && rule.unprotectedFilePatterns !== ''
  return {
    force: kind === 'update',
    signatures: isNew && rule.requireSignedCommits,
    files: isNew && (rule.protectedFilePatterns !== '' || mayBeOpen),
  }
}

/** Why a rule refuses what a writer does to its branch: deletion, force, signatures, files, then the right to push. */
export function ruleRefusal(
  rule: BranchRule,
  { branch, kind }: BranchCommand,
  rights: RuleRights,
  evidence: PushEvidence,
): Refusal | undefined {
  if (kind === 'delete') return { reason: 'deletion', text: `branch ${branch} is protected from deletion` }
  const { isForced, unverified, files } = evidence
  if (isForced && !rule.enableForcePush)
    return { reason: 'force', text: `branch ${branch} is protected from force push` }
  if (unverified !== undefined)
    return { reason: 'signature', text: `branch ${branch} is protected from unverified commit ${unverified}` }
  const path = findProtectedFile(rule.protectedFilePatterns, files)
  if (path !== undefined)
    return { reason: 'file', text: `branch ${branch} is protected from changing file ${path}`, path }
  if (!canPush(rule, rights)) {
    // NOTE: only a plain update is open to all writers: what a new or rewritten branch holds is more than the files it
    // changes.
    const isOpen = kind === 'update' && !isForced && areAllUnprotected(rule.unprotectedFilePatterns, files)
    return isOpen ? undefined : { reason: 'push', text: `Not allowed to push to protected branch ${branch}` }
  }
  if (isForced && !canForcePush(rule, rights))
    return { reason: 'force', text: `Not allowed to force-push to protected branch ${branch}` }
  return undefined
}
