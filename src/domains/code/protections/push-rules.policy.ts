import { AccessMode, type RepoAccess, unitMode } from '../../../core/access/repo-access.ts'
import { isNewRefName } from '../../../core/git/index.ts'
import {
  type BranchRule,
  type BranchRuleFacts,
  evidenceNeeded,
  type EvidenceNeeded,
  type MergeMove,
  NO_EVIDENCE,
  type PushEvidence,
  type Refusal,
  type RuleList,
  ruleRefusal,
  type RuleRights,
  canMerge,
  canOverride,
} from './branches/branch-rules.policy.ts'
import { mayChangeTag, type TagRule } from './protections.policy.ts'

export interface PushFacts {
  readonly access: RepoAccess
  readonly isArchived: boolean
  readonly isMirror: boolean
  readonly defaultBranch: string
  readonly isDeployKey: boolean
  /**
   * Whether pushes to `refs/for/` can create pull requests. The module of pull requests checks the permission of the
   * viewer.
   */
  readonly takesProposals: boolean
  readonly branchRules: BranchRuleFacts
  readonly tagRules: readonly TagRule[]
  /** Set if the update merges pull requests; undefined for a push. */
  readonly merge?: MergeMove | undefined
}

/** A pushed ref with the result of the rules that match it. */
interface PushedRef extends RefRules {
  readonly ref: string
  readonly kind: 'create' | 'update' | 'delete'
}

interface RefRules {
  /** The rule that applies to the branch. */
  readonly rule: BranchRule | undefined
  /** Whether the tag may be created, updated and deleted. */
  readonly mayChangeTag: boolean
}

const BRANCH = 'refs/heads/'
const TAG = 'refs/tags/'
const NOT_LISTED: ReadonlySet<RuleList> = new Set()

/** Finds the rules of one ref. */
export const rulesOfRef = async (
  ref: string,
  { branchRules, tagRules }: Pick<PushFacts, 'branchRules' | 'tagRules'>,
): Promise<RefRules> => ({
  rule: ref.startsWith(BRANCH) ? await branchRules.ruleOf(ref.slice(BRANCH.length)) : undefined,
  mayChangeTag: !ref.startsWith(TAG) || (await mayChangeTag(ref.slice(TAG.length), tagRules)),
})

/** The reason to refuse one ref of a push (behaviour/git-data-and-transport#push-rules); undefined if it is allowed. */
export function pushRefusal(
  pushed: PushedRef,
  facts: PushFacts,
  evidence: PushEvidence = NO_EVIDENCE,
): Refusal | undefined {
  const { ref, kind, rule } = pushed
  const text = accessRefusal(pushed, facts)
  if (text !== undefined) return { reason: 'access', text }
  if (kind === 'create' && !isNewName(ref))
    return { reason: 'name', text: `${ref} has a name that looks like an object id` }
  if (ref.startsWith(TAG)) {
    const tag = ref.slice(TAG.length)
    return pushed.mayChangeTag ? undefined : { reason: 'tag', text: `Tag ${tag} is protected` }
  }
  if (!ref.startsWith(BRANCH)) return undefined
  const branch = ref.slice(BRANCH.length)
  if (kind === 'delete' && branch === facts.defaultBranch)
    return { reason: 'default-branch', text: `branch ${branch} is the default branch and cannot be deleted` }
  return rule && ruleRefusal(rule, { branch, kind, merge: facts.merge }, rightsFor(rule, facts), evidence)
}

/** Refs other than branches and tags may have any name. */
function isNewName(ref: string): boolean {
  const prefix = [BRANCH, TAG].find((start) => ref.startsWith(start))
  return prefix === undefined || isNewRefName(ref.slice(prefix.length))
}

/** The evidence about the new commits that `pushRefusal` needs; undefined if it needs none. */
export function pushEvidenceNeeded(pushed: PushedRef, facts: PushFacts): EvidenceNeeded | undefined {
  const { ref, kind, rule } = pushed
  if (!ref.startsWith(BRANCH) || accessRefusal(pushed, facts) !== undefined) return undefined
  const branch = ref.slice(BRANCH.length)
  return rule && evidenceNeeded(rule, { branch, kind, merge: facts.merge }, rightsFor(rule, facts))
}

function accessRefusal({ ref, rule }: PushedRef, facts: PushFacts): string | undefined {
  if (facts.isArchived)
    return 'This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.'
  if (facts.isMirror) return 'mirror repository is read-only'
  if (ref.startsWith('refs/for/'))
    return facts.takesProposals ? undefined : 'Pull requests by refs/for are not available on this repository'
  // NOTE: a rule has its own condition for merges: accounts on its merge list need no write access.
  if (facts.merge !== undefined && rule !== undefined) return undefined
  return unitMode(facts.access, 'repo.code') < AccessMode.write ? 'User permission denied for writing.' : undefined
}

/** The viewer's permissions that a rule depends on. */
export function rightsFor(
  rule: BranchRule,
  { access, isDeployKey, branchRules }: Pick<PushFacts, 'access' | 'isDeployKey' | 'branchRules'>,
): RuleRights {
  return {
    canWrite: unitMode(access, 'repo.code') >= AccessMode.write,
    isDeployKey,
    lists: branchRules.listed.get(rule.id) ?? NOT_LISTED,
  }
}

/** The default branch of an empty repository after its first push: the current one, then main, master, the first. */
export function firstDefaultBranch(pushed: readonly string[], current: string): string | undefined {
  return [current, 'main', 'master'].find((name) => pushed.includes(name)) ?? pushed[0]
}

/** The rules for changes by pushes and merges. */
export const pushRules = {
  rightsFor,
  canMerge,
  canOverride,
  firstDefaultBranch,
} as const
