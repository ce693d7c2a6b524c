import type { NewCommit, Identity } from '../object/commit.ts'
import type { ObjectWriter } from '../write/tree-edit.ts'
import type { Objects } from '../read/objects.ts'
import { trivialMerge } from './apply-commit.ts'
import { type ConflictFile, conflictHunks } from './conflict-hunks.ts'
import { type MergeContext, type MergeSpace, type TreeMerge, inMergeSpace, type MergeTree } from './merge-tree.ts'
import { replay } from './replay.ts'

/** `merge` always creates a merge commit; `fast-forward-only` creates no commit. */
export type MergeStyle = 'merge' | 'squash' | 'rebase' | 'rebase-merge' | 'fast-forward-only'

export interface MergePlan {
  readonly style: MergeStyle
  /** The commit to merge into and the commit to merge. Both are in the repository. */
  readonly base: string
  readonly head: string
  /** Writes the merge or squash commit and returns its id; the caller adds identities, message and signature. */
  commit(writer: ObjectWriter, made: Pick<NewCommit, 'tree' | 'parents'>): Promise<string>
  /** Options of the merge styles that replay commits. */
  readonly replaying: ReplayOptions
}

interface ReplayOptions {
  readonly committer: Identity
  /** Returns the armored signature of each new commit; without it commits are not signed. */
  readonly sign?: (payload: Buffer) => Promise<string>
  /** Derives the message of the last replayed commit from its original message. */
  readonly reword?: (message: string) => string
}

interface MergeConflict {
  readonly kind: 'conflict'
  /** The replayed commit that conflicts; undefined if whole histories are merged. */
  readonly commit: string | undefined
  readonly files: readonly string[]
  /** Git's messages about them, one per line. */
  readonly messages: string
  /** The conflicting hunks of each file; only in a preview. */
  readonly hunks: readonly ConflictFile[]
}

export type MergeOutcome =
  | { readonly kind: 'built'; readonly commit: string; readonly tree: string }
  | MergeConflict
  /** The base already contains the head, or all of its changes. */
  | { readonly kind: 'nothing' }
  /** The histories have no common ancestor. */
  | { readonly kind: 'unrelated' }
  /** The head does not contain the base, as `fast-forward-only` requires. */
  | { readonly kind: 'diverged' }
  /** The head has more commits than can be replayed at once. */
  | { readonly kind: 'too-many'; readonly limit: number }

export interface BuildContext extends MergeContext {
  /** The best common ancestors; empty for unrelated histories. */
  mergeBases(a: string, b: string): Promise<readonly string[]>
}

const MAX_REPLAYED = 1_000
const DEADLINE_MS = 60_000

/**
 * Builds the commit that a merge of this style leads to, without moving a ref. The objects are durable when this
 * returns; a preview leaves nothing behind. Use within `writing`.
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

/** Merges two commits as git does, without a process if possible. `common` is undefined if there are several. */
async function mergeTips(
  objects: Objects,
  space: MergeSpace,
  { base, head, common }: Omit<Tips, 'common'> & { readonly common: string | undefined },
): Promise<MergeTree> {
  const untouched = common && (await trivialMerge(space, await treesOf(objects, { common, base, head })))
  return untouched ? { tree: untouched, conflicts: [], messages: '' } : space.mergeCommits(base, head)
}

/**
 * Every path in which the merge of `theirs` into `ours` differs from `ours`; undefined for conflicts and unrelated
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

/** The trees to merge for two commits. */
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
