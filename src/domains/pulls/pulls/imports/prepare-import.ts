import { branchRef, type GitRepo, isGitError, isOid, type RefSnapshot } from '../../../../core/git/index.ts'
import { checkMerge } from '../mergeability/merge-ref.ts'
import type { MergeCheck } from '../records/pull.store.ts'

/** The repository of an import, and its refs. */
interface ImportedRefs {
  readonly git: GitRepo
  readonly refs: RefSnapshot
}

/** The commits that another service names for one of its pull requests; any of them may be wrong or missing here. */
export interface ClaimedCommits {
  /** The commit of the ref that was fetched for the pull request; undefined if the service has none. */
  readonly fetched: string | undefined
  readonly head: string
  /** The head branch if it is in the imported repository. */
  readonly ownBranch: string | undefined
  readonly baseBranch: string
  readonly base: string
  readonly mergeBase: string
  /** The result of the merge; undefined unless merged. */
  readonly merged: string | undefined
  readonly isClosed: boolean
}

/** The commits of an imported pull request, which the repository has. */
export interface PreparedCommits {
  readonly headOid: string
  /** An ancestor of the head; the tip of the base for unrelated histories. */
  readonly mergeBase: string
  /** Undefined unless merged. The head if the repository lacks the result of the merge. */
  readonly mergedOid: string | undefined
  readonly check: MergeCheck
  /** The repository lacks the head: others of its commits stand in for it. */
  readonly isHeadMissing: boolean
  readonly isBaseMissing: boolean
}

/**
 * Chooses the commits between which an imported pull request is shown. The head is the fetched one, the merge base that
 * of the service if it is a proper ancestor, otherwise a computed one. Where the head is gone, a merged pull request
 * shows its merge, another one nothing. Undefined if the repository has no commit at all. Call within `writing`.
 */
export async function prepareImport(
  { git, refs }: ImportedRefs,
  claimed: ClaimedCommits,
): Promise<PreparedCommits | undefined> {
  const baseTip = refs.get(branchRef(claimed.baseBranch))?.oid
  const merged = claimed.merged === undefined ? undefined : await existing(git, claimed.merged)
  // NOTE: the branches were fetched at another time than the pull requests, and an open one has the tip of its branch.
  const ownTip = isOpenAt(claimed) ? claimed.ownBranch && refs.get(branchRef(claimed.ownBranch))?.oid : undefined
  const head = ownTip ?? (await existing(git, claimed.fetched)) ?? (await existing(git, claimed.head))
  const span =
    head === undefined
      ? await standIn(git, claimed, { refs, baseTip, merged })
      : { headOid: head, mergeBase: await findMergeBase(git, claimed, { head, baseTip, merged }) }
  if (span === undefined) return undefined
  const open = isOpenAt(claimed) && head !== undefined && baseTip !== undefined ? { base: baseTip, head } : undefined
  return {
    ...span,
    mergedOid: claimed.merged === undefined ? undefined : (merged ?? span.headOid),
    check: await checkOf(git, claimed, open),
    isHeadMissing: head === undefined,
    isBaseMissing: baseTip === undefined,
  }
}

const isOpenAt = ({ merged, isClosed }: ClaimedCommits): boolean => merged === undefined && !isClosed

interface Found {
  /** Undefined if the base branch is missing. */
  readonly baseTip: string | undefined
  /** Undefined if not merged or missing. */
  readonly merged: string | undefined
}

/** The id if the repository has a commit with it. */
async function existing(git: GitRepo, oid: string | undefined): Promise<string | undefined> {
  if (oid === undefined || !isOid(oid, git.objectFormat)) return undefined
  return (await git.objects.findInfo(oid))?.type === 'commit' ? oid : undefined
}

async function firstParent(git: GitRepo, oid: string): Promise<string | undefined> {
  return existing(git, (await git.objects.commit(oid)).parents[0])
}

/** The best common ancestor of a commit and the head, unless it is the head itself. */
async function commonBefore(git: GitRepo, oid: string | undefined, head: string): Promise<string | undefined> {
  const common = oid && (await git.history.mergeBase(oid, head))
  return common === head ? undefined : common
}

/**
 * NOTE: the base of a merged pull request contains the head, so the base before the merge is compared: the base that
 * the service names, which at some is the tip of today, or the first parent of the merge. Where the commits were
 * rebased, the first parent of the last one has the same merge base.
 */
async function findMergeBase(
  git: GitRepo,
  { mergeBase, base }: ClaimedCommits,
  { head, baseTip, merged }: Found & { readonly head: string },
): Promise<string> {
  const claimed = await existing(git, mergeBase)
  if (claimed !== undefined && claimed !== head && (await git.history.isAncestor(claimed, head))) return claimed
  const before = merged === undefined ? undefined : await firstParent(git, merged)
  for (const oid of [await existing(git, base), before, baseTip]) {
    const found = await commonBefore(git, oid, head)
    if (found !== undefined) return found
  }
  if (baseTip === undefined) return (await firstParent(git, head)) ?? head
  return (await git.history.mergeBase(baseTip, head)) ?? baseTip
}

async function standIn(
  git: GitRepo,
  { base, mergeBase }: ClaimedCommits,
  { refs, baseTip, merged }: Found & { readonly refs: RefSnapshot },
): Promise<Pick<PreparedCommits, 'headOid' | 'mergeBase'> | undefined> {
  if (merged !== undefined) return { headOid: merged, mergeBase: (await firstParent(git, merged)) ?? merged }
  const known = (await existing(git, mergeBase)) ?? (await existing(git, base)) ?? baseTip
  const oid = known ?? refs.list('refs/heads/')[0]?.oid
  return oid === undefined ? undefined : { headOid: oid, mergeBase: oid }
}

/** NOTE: a closed pull request is checked when it is reopened. */
async function checkOf(
  git: GitRepo,
  { merged }: ClaimedCommits,
  open: { readonly base: string; readonly head: string } | undefined,
): Promise<MergeCheck> {
  if (open === undefined)
    return { state: merged === undefined ? 'checking' : 'mergeable', baseOid: '', headOid: '', conflicts: [] }
  try {
    return await checkMerge(git, open.base, open.head)
  } catch (error) {
    if (!isGitError(error)) throw error
    return { state: 'error', baseOid: open.base, headOid: open.head, conflicts: [] }
  }
}
