import type { MergeAction } from './merge-request.ts'
import type { BranchRule, CombinedState } from '../../code/index.ts'
import type { Mergeability } from '../pulls/records/pull.store.ts'
import type { ReviewState } from '../pulls/pull-views.ts'

/** The values of default messages and templates. */
export interface MessageFacts {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly authorName: string
  readonly baseOwner: string
  readonly baseRepo: string
  readonly baseBranch: string
  /** Undefined when the repository was deleted. */
  readonly head: { readonly owner: string; readonly repo: string } | undefined
  readonly headBranch: string
  readonly isFork: boolean
  /** The issues are in an external tracker: pull requests are written with `!`. */
  readonly hasExternalIssues: boolean
  /** Numbers of the issues that the merge closes. */
  readonly closes: readonly number[]
  readonly url: string
  /** Name and address of each approving account. */
  readonly approvers: readonly string[]
}

export interface MessageParts {
  readonly title: string
  /** Empty for none. */
  readonly body: string
}

const reference = ({ hasExternalIssues, number }: MessageFacts): string => `${hasExternalIssues ? '!' : '#'}${number}`

/** The default title of a merge (behaviour/pull-requests#merge-messages). */
export function defaultTitle(action: MergeAction, facts: MessageFacts): string {
  const { title, baseBranch, head, headBranch, isFork } = facts
  if (action === 'squash') return `${title} (${reference(facts)})`
  const from = head === undefined ? '<deleted>:' : isFork ? `${head.owner}/${head.repo}:` : ''
  return `Merge pull request '${title}' (${reference(facts)}) from ${from}${headBranch} into ${baseBranch}`
}

/** Replaces `${Variable}`; leaves unknown names unchanged. */
export function fillTemplate(template: string, variables: ReadonlyMap<string, string>): string {
  return template.replaceAll(/\$\{(\w{1,50})\}/g, (whole, name: string) => variables.get(name) ?? whole)
}

export function templateVariables(facts: MessageFacts): ReadonlyMap<string, string> {
  const { head, closes, approvers } = facts
  return new Map([
    ['BaseRepoOwnerName', facts.baseOwner],
    ['BaseRepoName', facts.baseRepo],
    ['BaseBranch', facts.baseBranch],
    ['HeadRepoOwnerName', head?.owner ?? ''],
    ['HeadRepoName', head?.repo ?? ''],
    ['HeadBranch', facts.headBranch],
    ['PullRequestTitle', facts.title],
    ['PullRequestDescription', facts.body],
    ['PullRequestPosterName', facts.authorName],
    ['PullRequestIndex', String(facts.number)],
    ['PullRequestReference', reference(facts)],
    ['ClosingIssues', closes.map((number) => `close #${number}`).join(', ')],
    ['ReviewedOn', `Reviewed-on: ${facts.url}`],
    ['ReviewedBy', approvers.map((approver) => `Reviewed-by: ${approver}`).join('\n')],
  ])
}

/** The first line is the title, the rest the body. */
export function splitMessage(text: string): MessageParts {
  const trimmed = text.trim()
  const end = trimmed.indexOf('\n')
  return end === -1
    ? { title: trimmed, body: '' }
    : { title: trimmed.slice(0, end).trim(), body: trimmed.slice(end).trim() }
}

/** A message as it is stored: title, body and trailers with blank lines between them. */
export function joinMessage({ title, body }: MessageParts, trailers: readonly string[] = []): string {
  return `${[title, body, trailers.join('\n')].filter((part) => part !== '').join('\n\n')}\n`
}

/** The merge styles that a repository allows. */
interface AllowedStyles {
  readonly allowMerge: boolean
  readonly allowRebase: boolean
  readonly allowRebaseMerge: boolean
  readonly allowSquash: boolean
  readonly allowFastForwardOnly: boolean
  readonly allowManualMerge: boolean
}

/** The facts that the protection of the base branch is checked against. */
export interface ProtectionFacts {
  readonly rule: BranchRule
  /** The combined state of the required contexts. */
  readonly checks: CombinedState
  readonly reviews: ReviewState
  /** The base has commits that the head lacks. */
  readonly isOutdated: boolean
  /** The first protected file that the merge changes. */
  readonly protectedFile: string | undefined
  /** If signatures are required: a commit of the head, absent from the base, without a valid signature. */
  readonly unverified: string | undefined
}

export interface MergeFacts {
  readonly isMerged: boolean
  readonly mayMerge: boolean
  readonly isDraft: boolean
  readonly mergeability: Mergeability
  /** Undefined where no rule applies to the base branch. */
  readonly protection: ProtectionFacts | undefined
  /** Whether the actor may override the protection of the base branch. */
  readonly mayOverride: boolean
  /** The server can sign its commits. */
  readonly canSign: boolean
  readonly hasOpenBlocker: boolean
  readonly styles: AllowedStyles
}

interface Wanted {
  readonly action: MergeAction
  readonly isForced: boolean
  /** The merge waits until the protection allows it. */
  readonly isScheduled: boolean
  /**
   * The merge queue builds upon the tip of the base and waits for the statuses of its own commit, so it does not
   * require either of the head.
   */
  readonly isQueued?: boolean
}

/** The first of `mergeProblems`: why a pull request cannot be merged; undefined when it can. */
export const mergeProblem = (facts: MergeFacts, wanted: Wanted): string | undefined =>
  mergeProblems(facts, wanted).next().value ?? undefined

/**
 * All reasons why a pull request cannot be merged, in the order of the API (behaviour/pull-requests#merging). While the
 * check runs, `checking` is not a reason: the merge itself detects conflicts.
 */
export function* mergeProblems(facts: MergeFacts, wanted: Wanted): Generator<string, undefined> {
  if (facts.isMerged) {
    yield 'The PR is already merged'
    return
  }
  if (!facts.mayMerge) yield 'User not allowed to merge PR'
  if (wanted.action !== 'manually-merged') yield* contentProblems(facts, wanted)
  if (!wanted.isScheduled && !isAllowed(wanted.action, facts.styles))
    yield `${wanted.action} is not allowed an allowed merge style for this repository`
}

const UNMERGEABLE: ReadonlySet<Mergeability> = new Set(['ancestor', 'conflict', 'error'])

function* contentProblems(facts: MergeFacts, wanted: Wanted): Generator<string, void> {
  const { isDraft, mergeability, protection, canSign, hasOpenBlocker } = facts
  if (isDraft) yield 'Work in progress PRs cannot be merged'
  if (UNMERGEABLE.has(mergeability)) yield 'Please try again later'
  if (protection !== undefined) {
    if (!wanted.isScheduled && !isOverridden(facts, wanted)) yield* protectionProblems(protection, wanted)
    const unsigned = protection.rule.requireSignedCommits
      ? signingProblem(wanted.action, canSign, protection)
      : undefined
    if (unsigned !== undefined) yield unsigned
  }
  if (hasOpenBlocker) yield 'is blocked by an open dependency'
}

/** Whether the merge overrides the protection of the base branch. */
export const isOverridden = (
  { protection, mayOverride }: Pick<MergeFacts, 'mayOverride' | 'protection'>,
  { isForced }: Pick<Wanted, 'isForced'>,
): boolean => isForced && mayOverride && protection !== undefined

export const CHANGED_FILES = 'Changed protected files'

function protectionProblems(facts: ProtectionFacts, { isQueued = false }: Wanted): string[] {
  const { rule, checks, reviews, isOutdated, protectedFile } = facts
  const problems: readonly (readonly [isProblem: boolean, text: string])[] = [
    [!isQueued && rule.enableStatusCheck && checks !== 'success', 'Not all required status checks successful'],
    [reviews.approvals < rule.requiredApprovals, 'Does not have enough approvals'],
    [rule.blockOnRejectedReviews && reviews.isRejected, 'There are requested changes'],
    [rule.blockOnOfficialReviewRequests && reviews.hasOpenRequest, 'There are official review requests'],
    [!isQueued && rule.blockOnOutdatedBranch && isOutdated, 'The head branch is behind the base branch'],
    [protectedFile !== undefined, CHANGED_FILES],
  ]
  return problems.filter(([isProblem]) => isProblem).map(([, text]) => text)
}

/**
 * NOTE: a fast-forward writes no commit that the server could sign. A merge commit leaves the commits of the head
 * unchanged; the other styles rewrite them.
 */
function signingProblem(
  action: MergeAction,
  canSign: boolean,
  { unverified }: Pick<ProtectionFacts, 'unverified'>,
): string | undefined {
  if (!canSign) return 'wont sign: the server has no key'
  if (action === 'fast-forward-only') return 'wont sign: fast-forward-only makes no commit'
  if (action !== 'merge' || unverified === undefined) return undefined
  return `wont sign: the head has the unverified commit ${unverified}`
}

function isAllowed(action: MergeAction, styles: AllowedStyles): boolean {
  return {
    merge: styles.allowMerge,
    rebase: styles.allowRebase,
    'rebase-merge': styles.allowRebaseMerge,
    squash: styles.allowSquash,
    'fast-forward-only': styles.allowFastForwardOnly,
    'manually-merged': styles.allowManualMerge,
  }[action]
}
