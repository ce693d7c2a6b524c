import type { NewCommit, Identity } from '../object/commit.ts'
import type { ObjectWriter } from '../write/tree-edit.ts'
import type { Objects } from '../read/objects.ts'
import { mergeUntouched } from './apply-commit.ts'
import { type ConflictFile, conflictHunks } from './conflict-hunks.ts'
import { type MergeContext, type MergeSpace, type TreeMerge, inMergeSpace, type MergeTree } from './merge-tree.ts'
import { replay } from './replay.ts'

/** `merge` always makes a merge commit; `fast-forward-only` makes no commit. */
export type MergeStyle = 'merge' | 'squash' | 'rebase' | 'rebase-merge' | 'fast-forward-only'

export interface MergePlan {
  readonly style: MergeStyle
  /** The commit that the result follows, and the one that is merged. Both are in the repository. */
  readonly base: string
  readonly head: string
  /** Writes the commit that merges or squashes, and returns its id; the caller adds who, what and signature. */
  commit(writer: ObjectWriter, made: Pick<NewCommit, 'tree' | 'parents'>): Promise<string>
  /** Of the styles that replay commits. */
  readonly replaying: ReplayOptions
}

interface ReplayOptions {
  readonly committer: Identity
  /** Gives the armored signature of each new commit; commits are not signed where absent. */
  readonly sign?: (payload: Buffer) => Promise<string>
  /** Makes the message of the last replayed commit out of its own. */
  readonly reword?: (message: string) => string
}

interface MergeConflict {
  readonly kind: 'conflict'
  /** The replayed commit that does not fit; undefined when whole histories are merged. */
  readonly commit: string | undefined
  readonly files: readonly string[]
  /** What git prints about them, a line each. */
  readonly messages: string
  /** What differs in each file; only of a preview. */
  readonly hunks: readonly ConflictFile[]
}

export type MergeOutcome =
  | { readonly kind: 'built'; readonly commit: string; readonly tree: string }
  | MergeConflict
  /** The base contains the head, or all that the head changes. */
  | { readonly kind: 'nothing' }
  /** The two have no common ancestor. */
  | { readonly kind: 'unrelated' }
  /** The head does not contain the base, as `fast-forward-only` needs. */
  | { readonly kind: 'diverged' }
  /** The head has more commits than are replayed at once. */
  | { readonly kind: 'too-many'; readonly limit: number }

export interface BuildContext extends MergeContext {
  /** The best common ancestors; none for unrelated histories. */
  mergeBases(a: string, b: string): Promise<readonly string[]>
}

const MAX_REPLAYED = 1_000
const DEADLINE_MS = 60_000

/**
 * Builds the commit that a merge of this style leads to; moves no ref. What is built is durable when this returns, and
 * a preview leaves nothing behind. Use within `writing`.
 */
export async function buildMerge(
  context: BuildContext,
  plan: MergePlan,
  { isPreview = false }: { readonly isPreview?: boolean } = {},
): Promise<MergeOutcome> {
  const { base, head, style } = plan
  const [common, ...others] = await context.mergeBases(base, head)
  if (common === undefined) return { kind: 'unrelated' }
  if (common === head) return { kind: 'nothing' }
  if (style === 'fast-forward-only') {
    if (common !== base) return { kind: 'diverged' }
    return { kind: 'built', commit: head, tree: (await context.objects.commit(head)).tree }
  }
  const deadline = performance.now() + DEADLINE_MS
  return inMergeSpace(context, deadline, async (space) => {
    const value = style.startsWith('rebase')
      ? await rebase(context, space, plan, { deadline, isPreview })
      : await merge(context, space, plan, { common: others.length === 0 ? common : undefined, isPreview })
    return { value, keep: value.kind === 'built' && !isPreview }
  })
}

async function merge(
  { objects }: MergeContext,
  space: MergeSpace,
  { base, head, style, commit }: MergePlan,
  { common, isPreview }: { readonly common: string | undefined; readonly isPreview: boolean },
): Promise<MergeOutcome> {
  const result = await mergeTips(objects, space, { base, head, common })
  if (result.conflicts.length > 0) return conflictOf(space, result, { isPreview })
  const { tree } = result
  const parents = style === 'squash' ? [base] : [base, head]
  return { kind: 'built', commit: await commit(space.writer, { tree, parents }), tree }
}

interface Tips {
  /** The only best common ancestor. */
  readonly common: string
  readonly base: string
  readonly head: string
}

/** Merges two commits as git does, where possible without a process. `common`: undefined where there are several. */
async function mergeTips(
  objects: Objects,
  space: MergeSpace,
  { base, head, common }: Omit<Tips, 'common'> & { readonly common: string | undefined },
): Promise<MergeTree> {
  const untouched = common && (await mergeUntouched(space, await treesOf(objects, { common, base, head })))
  return untouched ? { tree: untouched, conflicts: [], messages: '' } : space.mergeCommits(base, head)
}

/**
 * Every path in which the merge of `theirs` into `ours` differs from `ours`; undefined for conflicts and for unrelated
 * histories. Leaves nothing behind. Use within `writing`.
 */
export async function mergedFiles(
  context: BuildContext,
  ours: string,
  theirs: string,
): Promise<readonly string[] | undefined> {
  const [common, ...others] = await context.mergeBases(ours, theirs)
  if (common === undefined) return undefined
  return inMergeSpace(context, performance.now() + DEADLINE_MS, async (space) => {
    const tips = { base: ours, head: theirs, common: others.length === 0 ? common : undefined }
    const { tree, conflicts } = await mergeTips(context.objects, space, tips)
    return { value: conflicts.length === 0 ? await space.changedFiles(ours, tree) : undefined, keep: false }
  })
}

/** What a merge of two commits merges. */
export async function treesOf(objects: Objects, { common, base, head }: Tips): Promise<TreeMerge> {
  const [from, ours, theirs] = await Promise.all([common, base, head].map((oid) => objects.commit(oid)))
  return { base: from!.tree, ours: ours!.tree, theirs: theirs!.tree }
}

async function rebase(
  context: MergeContext,
  space: MergeSpace,
  { base, head, style, commit, replaying }: MergePlan,
  { deadline, isPreview }: { readonly deadline: number; readonly isPreview: boolean },
): Promise<MergeOutcome> {
  const { committer, sign, reword } = replaying
  const bounds = { maxCommits: MAX_REPLAYED, deadline }
  const replayed = await replay(context, space, { base, head, committer, sign, reword, ...bounds })
  if (replayed.kind === 'too-many') return { kind: 'too-many', limit: MAX_REPLAYED }
  if (replayed.kind === 'conflict') return conflictOf(space, replayed.result, { isPreview, commit: replayed.commit })
  const { tree, commit: tip } = replayed
  if (tip === base) return { kind: 'nothing' }
  const made = style === 'rebase' ? tip : await commit(space.writer, { tree, parents: [base, tip] })
  return { kind: 'built', commit: made, tree }
}

async function conflictOf(
  space: MergeSpace,
  { tree, conflicts, messages }: MergeTree,
  { isPreview, commit }: { readonly isPreview: boolean; readonly commit?: string },
): Promise<MergeConflict> {
  const hunks = isPreview ? await conflictHunks(space, tree, conflicts) : []
  return { kind: 'conflict', commit, files: conflicts, messages, hunks }
}
