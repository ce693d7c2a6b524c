import { branchRef, type Commit, type GitRepo, ignoringMissing, isZeroOid } from '../../../../core/git/index.ts'
import type { Repo } from '../../../repositories/index.ts'

export interface RefUpdate {
  readonly ref: string
  readonly old_oid: string
  readonly new_oid: string
}

/** The commits that the move of a ref brought. */
export interface PushedCommits {
  /** Newest first, at most `MAX_COMMITS`. */
  readonly commits: readonly Commit[]
  readonly total: number
  /** The commit at the new tip; undefined on deletion, and for a tag of something else. */
  readonly head: Commit | undefined
}

const MAX_COMMITS = 5
/** Tips of other branches that a new branch is compared with. */
const MAX_TIPS = 200
const BRANCH = branchRef('')
export const NO_COMMITS: PushedCommits = { commits: [], total: 0, head: undefined }

/**
 * Commits of a branch since its old tip; of a new branch those that no branch from before it has. A tag brings none.
 * `later` are refs that the same push created after this one. Nothing is an error: what was deleted meanwhile is left
 * out.
 */
export async function listPushedCommits(
  git: GitRepo,
  repo: Repo,
  { ref, old_oid: before, new_oid: after }: RefUpdate,
  later: ReadonlySet<string>,
): Promise<PushedCommits> {
  if (isZeroOid(after)) return NO_COMMITS
  const head = await ignoringMissing(async () => git.objects.commit(await git.revisions.peel(after, 'commit')))
  if (head === undefined || !ref.startsWith(BRANCH)) return { ...NO_COMMITS, head }
  const isKnown = !isZeroOid(before) && (await git.objects.findInfo(before)) !== undefined
  const not = isKnown ? [before] : await otherTips(git, repo, ref, later)
  if (not.includes(after)) return { ...NO_COMMITS, head }
  const query = { tip: after, not }
  const commits = await git.history.list(query, { skip: 0, limit: MAX_COMMITS })
  return { commits, total: commits.length < MAX_COMMITS ? commits.length : await git.history.count(query), head }
}

/** Tips of the branches other than `ref`, that of the default branch first. */
async function otherTips(git: GitRepo, repo: Repo, ref: string, later: ReadonlySet<string>): Promise<string[]> {
  const snapshot = await git.refs.snapshot()
  const others = [snapshot.get(branchRef(repo.defaultBranch)) ?? [], snapshot.list(BRANCH)].flat()
  const oids = others.flatMap((other) => (other.name === ref || later.has(other.name) ? [] : other.oid))
  return [...new Set(oids)].slice(0, MAX_TIPS)
}
