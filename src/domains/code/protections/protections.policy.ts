import type { BranchRuleSettings, FilePatterns, PushEvidence } from './branches/branch-rules.policy.ts'
import { createPauses } from '../../../core/platform/concurrency/pauses.ts'
import { compileGlob, type Matcher } from '../../../core/platform/patterns/glob.ts'
import { invalid, oversize } from '../../../core/platform/errors.ts'

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
  enableBypassAllowlist: false,
}

/** A switch and its parent, without which it has no effect. */
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
 * The settings after an edit. Absent settings are not changed. A switch can be on only if its parent is on after the
 * edit (behaviour/pull-requests#branch-protection).
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

/** Longer paths are always protected: git cannot check them out, and matching them takes long. */
const MAX_PATH = 4096

/** Compares the files of a change with the patterns of a rule. Yields to the event loop: there may be many files. */
export async function compareFiles(
  { protectedFiles, unprotectedFiles }: FilePatterns,
  files: readonly string[],
): Promise<Pick<PushEvidence, 'protectedFile' | 'areAllUnprotected'>> {
  const [isProtected, isUnprotected] = [matcherOf(protectedFiles), matcherOf(unprotectedFiles)]
  const pause = createPauses()
  let areAllUnprotected = isUnprotected !== undefined && files.length > 0
  for (const path of files) {
    await pause()
    const isLong = path.length > MAX_PATH
    if (isProtected && (isLong || isProtected(path))) return { protectedFile: path, areAllUnprotected: false }
    areAllUnprotected &&= !isLong && isUnprotected!(path)
    if (!areAllUnprotected && isProtected === undefined) break
  }
  return { areAllUnprotected }
}

/**
 * COMPAT: paths are compared in lower case, and `*` stops at dots as well as at slashes
 * (behaviour/repositories#branch-protections; src/domains/code/protections/branches/file-patterns.policy.test.ts).
 */
function matcherOf(patterns: string): Matcher | undefined {
  const matchers = patterns
    .toLowerCase()
    .split(';')
    .map((pattern) => pattern.trim())
    .filter(Boolean)
    .map((pattern) => compileGlob(pattern, './'))
  if (matchers.length === 0) return undefined
  return (path) => {
    const lower = path.toLowerCase()
    return matchers.some((matches) => matches(lower))
  }
}

export const STATUS_STATES = ['pending', 'success', 'error', 'failure', 'warning', 'skipped'] as const
export type StatusState = (typeof STATUS_STATES)[number]
export type CombinedState = 'pending' | 'success' | 'failure'

interface StatusOfContext {
  readonly context: string
  readonly state: StatusState
}

/**
 * Combines the newest statuses of all contexts (behaviour/pull-requests#commit-statuses); pending if there are none.
 */
export function combineStates(states: readonly StatusState[]): CombinedState {
  if (states.some((state) => state === 'error' || state === 'failure' || state === 'warning')) return 'failure'
  return states.length > 0 && states.every((state) => state === 'success' || state === 'skipped')
    ? 'success'
    : 'pending'
}

/**
 * Whether the required checks of a rule have passed (behaviour/pull-requests#branch-protection): each pattern must
 * match a context, and all matching contexts must succeed; `*` matches slashes too. Without patterns every context is
 * required. Yields to the event loop: globs may take long.
 */
export async function requiredChecksState(
  patterns: readonly string[],
  latest: readonly StatusOfContext[],
): Promise<CombinedState> {
  if (patterns.length === 0) return combineStates(latest.map((status) => status.state))
  const pause = createPauses()
  const required: StatusState[][] = []
  for (const pattern of patterns) {
    const matches = compileGlob(pattern)
    const states: StatusState[] = []
    for (const { context, state } of latest) {
      await pause()
      if (matches(context)) states.push(state)
    }
    required.push(states)
  }
  const combined = combineStates(required.flat())
  return combined === 'success' && required.some((states) => states.length === 0) ? 'pending' : combined
}

/** NOTE: every pushed ref is compared with all rules of its repository. */
export const MAX_RULES = 100
/** The maximum length of all patterns together. NOTE: all rules of a repository are read at once. */
const MAX_CONTEXTS = 20_000

/** Throws Invalid if a repository with this many rules cannot have another one. */
export function requireRoom(kind: 'branch' | 'tag', present: number): void {
  if (present >= MAX_RULES) throw invalid(`a repository has at most ${MAX_RULES} ${kind} protections`)
}

/** Throws Invalid if the patterns of required checks are too long. */
export function requireShortContexts(contexts: readonly string[] = []): void {
  if (contexts.join('').length > MAX_CONTEXTS) throw oversize('StatusCheckContexts', MAX_CONTEXTS, 'characters')
}

/** A tag protection for one user. */
export interface TagRule {
  /** Compiles the pattern on first use. */
  matches(tag: string): Promise<boolean>
  /** Whether the lists of the rule contain the user or a team of the user. */
  readonly isListed: boolean
}

/**
 * Whether a writer may create, update or delete a tag: no rule protects it, or one of the matching rules lists the user
 * (behaviour/repositories#tag-protections). Yields to the event loop: patterns may take long.
 */
export async function mayChangeTag(tag: string, rules: readonly TagRule[]): Promise<boolean> {
  const pause = createPauses()
  let isProtected = false
  for (const rule of rules) {
    await pause()
    if (!(await rule.matches(tag))) continue
    if (rule.isListed) return true
    isProtected = true
  }
  return !isProtected
}

/** The regular expression in a pattern between slashes; undefined for a glob. */
export const tagExpression = (pattern: string): string | undefined =>
  pattern.length > 2 && pattern.startsWith('/') && pattern.endsWith('/') ? pattern.slice(1, -1) : undefined

/** The requirements of protected branches for files and statuses. */
export const checkRules = {
  compareFiles,
  requiredChecksState,
} as const
