import type { SignedIn } from '../../../../core/access/viewer.ts'
import {
  branchRef,
  type ConflictFile,
  type GitRepo,
  type MergeOutcome,
  type MergeStyle,
} from '../../../../core/git/index.ts'
import { FairQueue } from '../../../../core/platform/concurrency/fair-queue.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import { parseRepoSettings } from '../../../repositories/index.ts'
import { toMergeError } from '../merge-errors.ts'
import { planMergeCommit } from '../messages/merge-commit.ts'
import { type MessageParts, splitMessage, mergeProblems } from '../merges.policy.ts'
import type { MergeDeps } from '../merge-steps.ts'
import { loadMergeFacts } from '../rules/load-merge-facts.ts'

/** The result of a merge if it were requested now. */
export interface MergePreview {
  readonly style: MergeStyle
  /** Undefined when the base branch was deleted. */
  readonly baseOid: string | undefined
  readonly headOid: string
  /** The tree that the base would have; undefined when the commit cannot be built. */
  readonly tree: string | undefined
  /** The message of the merge commit; empty where the style keeps the messages of the commits. */
  readonly message: MessageParts
  /** The reasons why the merge would be refused, in order of precedence; empty when it would succeed. */
  readonly refusals: readonly string[]
  readonly conflict: ConflictPreview | undefined
}

interface ConflictPreview {
  /** The first replayed commit that conflicts; undefined for styles that merge whole histories. */
  readonly commit: string | undefined
  /** The number of conflicting files. */
  readonly total: number
  /** The first of them. */
  readonly files: readonly ConflictFile[]
  /** The messages that git prints about the conflicts. */
  readonly messages: string
}

export interface PreviewDeps extends MergeDeps {
  /** Limits previews per account: a preview costs as much as a merge, and clients can request any number. */
  readonly previews: FairQueue
}

export const createPreviewQueue = (): FairQueue =>
  new FairQueue({
    what: 'merges are being previewed',
    atOnce: 4,
    atOncePerCaller: 1,
    maxWaiting: 64,
    maxWaitingPerCaller: 8,
  })

const STYLES = ['merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only'] as const satisfies MergeStyle[]

/**
 * Builds the result of a merge of this style, unsigned, and discards it (behaviour/pull-requests#merge-preview). Starts
 * the processes of a merge. Throws too-many-requests when the account has many previews running.
 */
export function previewMerge(
  deps: PreviewDeps,
  actor: SignedIn,
  target: PullInView,
  wanted: MergeStyle | undefined,
): Promise<MergePreview> {
  return deps.previews.run(String(actor.account.id), () => preview(deps, actor, target, wanted))
}

async function preview(
  deps: PreviewDeps,
  actor: SignedIn,
  target: PullInView,
  wanted: MergeStyle | undefined,
): Promise<MergePreview> {
  const { repo, pull, issue } = target
  const { defaultMergeStyle } = parseRepoSettings(repo.settings).pulls
  const style = wanted ?? STYLES.find((known) => known === defaultMergeStyle) ?? 'merge'
  const git = deps.git.open(repo)
  const baseOid = (await git.refs.snapshot()).get(branchRef(pull.baseBranch))?.oid
  const facts = await loadMergeFacts({ ...deps, canSign: deps.signer !== undefined }, actor, target, { git, baseOid })
  const refusals = new Set([
    ...(repo.isArchived ? [`${repo.fullName} is archived`] : []),
    ...(issue.isClosed && !facts.isMerged ? ['the pull request is closed'] : []),
    ...mergeProblems(facts, { action: style, isForced: false, isScheduled: false }),
  ])
  const { outcome, message } =
    facts.isMerged || baseOid === undefined
      ? { outcome: undefined, message: NO_MESSAGE }
      : await build(deps, { actor, target, style, git, baseOid })
  if (outcome !== undefined && outcome.kind !== 'built') refusals.add(toMergeError(outcome, style).message)
  return {
    style,
    baseOid,
    headOid: pull.headOid,
    tree: outcome?.kind === 'built' ? outcome.tree : undefined,
    message,
    refusals: [...refusals],
    conflict: outcome?.kind === 'conflict' ? presentConflict(outcome) : undefined,
  }
}

const NO_MESSAGE: MessageParts = { title: '', body: '' }

const presentConflict = ({
  commit,
  files,
  hunks,
  messages,
}: MergeOutcome & { readonly kind: 'conflict' }): ConflictPreview => ({
  commit,
  total: files.length,
  files: hunks,
  messages,
})

interface Building {
  readonly actor: SignedIn
  readonly target: PullInView
  readonly style: MergeStyle
  readonly git: GitRepo
  readonly baseOid: string
}

async function build(
  deps: PreviewDeps,
  { actor, target, style, git, baseOid }: Building,
): Promise<{ readonly outcome: MergeOutcome; readonly message: MessageParts }> {
  const request = { action: style, title: '', message: '' }
  const planning = { actor, target, request, git, at: deps.clock.now() }
  const { message, commit, replaying } = await planMergeCommit({ ...deps, signer: undefined }, planning)
  const keepsMessages = style === 'rebase' || style === 'fast-forward-only'
  let written = keepsMessages ? '' : message
  const { reword } = replaying
  const outcome = await git.writing(() =>
    git.merges.preview({
      style,
      base: baseOid,
      head: target.pull.headOid,
      commit,
      replaying: { ...replaying, ...(reword && { reword: (own: string) => (written = reword(own)) }) },
    }),
  )
  return { outcome, message: splitMessage(written) }
}
