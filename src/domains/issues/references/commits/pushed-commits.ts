import { type Commit, type GitRepo, isGitError, isZeroOid } from '../../../../core/git/index.ts'

export interface BranchUpdate {
  /** Full name of the branch. */
  readonly ref: string
  readonly old_oid: string
  readonly new_oid: string
}

export interface PushedCommit {
  readonly commit: Commit
  /** Full name of the branch that was pushed. */
  readonly ref: string
}

/** The newest ones of a push are read; older ones refer to nothing. */
const MAX_COMMITS = 1000
/** Each takes a process. */
const MAX_BRANCHES = 100

/**
 * The commits that a push adds to branches, the oldest of each branch first. The default branch comes first, so that
 * the bounds leave out its commits last. `base` is the default branch, whose commits are not new in a new branch.
 */
export async function listPushedCommits(
  git: GitRepo,
  updates: readonly BranchUpdate[],
  base: string,
): Promise<PushedCommit[]> {
  const ordered = updates.toSorted((a, b) => Number(b.ref === base) - Number(a.ref === base)).slice(0, MAX_BRANCHES)
  const tip = (await git.refs.snapshot()).get(base)?.oid
  const listed: PushedCommit[] = []
  for (const { ref, old_oid, new_oid } of ordered) {
    const limit = MAX_COMMITS - listed.length
    if (limit === 0) break
    const known = isZeroOid(old_oid) ? (ref === base ? undefined : tip) : old_oid
    const query = { tip: new_oid, ...(known !== undefined && { not: [known] }) }
    const commits = await git.history.list(query, { skip: 0, limit }).catch(noneIfDeleted)
    listed.push(...commits.toReversed().map((commit) => ({ commit, ref })))
  }
  return listed
}

/** A later push may have deleted the commits. */
function noneIfDeleted(error: unknown): readonly Commit[] {
  if (isGitError(error)) return []
  throw error
}
