import type { Database } from '../../../../core/db/database.ts'
import { type Commit, type Git, type GitRepo, isGitError, isZeroOid } from '../../../../core/git/index.ts'
import { wireTime } from '../../../../core/platform/clock.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { type Repo, findRepoById } from '../../repos/repo.store.ts'
import { updateActivityContent } from './activity.store.ts'

interface Update {
  readonly ref: string
  readonly old_oid: string
  readonly new_oid: string
}

export interface PushToDescribe {
  readonly repoId: RepoId
  readonly eventId: number
  readonly updates: readonly Update[]
}

/** The maximum number of commits in one entry of a feed. */
const MAX_COMMITS = 5
const BRANCH = 'refs/heads/'

/** Writes the commits of a push into its feed entries, as the JSON that clients parse. Idempotent. */
export async function describePush(
  { database, git }: { database: Database; git: Git },
  { repoId, eventId, updates }: PushToDescribe,
  signal: AbortSignal,
): Promise<void> {
  const repo = await findRepoById(database.read, repoId)
  if (repo === undefined) return
  const opened = git.open(repo)
  const old = await branchesWithoutNewCommits(opened, repo, updates)
  const contents: { readonly position: number; readonly content: string }[] = []
  for (const [position, update] of updates.entries()) {
    signal.throwIfAborted()
    if (!update.ref.startsWith(BRANCH) || isZeroOid(update.new_oid)) continue
    const content = await describe(opened, repo, { ...update, isOld: old.has(update.ref) })
    if (content !== undefined) contents.push({ position, content })
  }
  await database.transaction(async (tx) => {
    for (const { position, content } of contents) await updateActivityContent(tx, eventId, position, content)
  })
}

/** The minimum number of new branches for which one git process checks all of them. */
const MIN_BATCH = 4

/**
 * New branches without commits beyond the default branch. When a whole repository is pushed, most branches are of this
 * kind, and two processes for each of them would take a minute.
 */
async function branchesWithoutNewCommits(
  git: GitRepo,
  repo: Repo,
  updates: readonly Update[],
): Promise<ReadonlySet<string>> {
  const main = BRANCH + repo.defaultBranch
  const made = updates.filter(
    ({ ref, old_oid, new_oid }) => ref.startsWith(BRANCH) && ref !== main && isZeroOid(old_oid) && !isZeroOid(new_oid),
  )
  const base = (await git.refs.snapshot()).get(main)?.oid
  if (made.length < MIN_BATCH || base === undefined) return new Set()
  try {
    const outside = await git.history.notWithin(
      base,
      made.map((update) => update.new_oid),
    )
    return new Set(made.filter((update) => !outside.has(update.new_oid)).map((update) => update.ref))
  } catch (error) {
    // NOTE: one of the commits was already deleted: each branch gets its own query.
    if (isGitError(error)) return new Set()
    throw error
  }
}

/** The JSON of one entry; undefined if the commits were already deleted. */
async function describe(
  git: GitRepo,
  repo: Repo,
  { ref, old_oid, new_oid, isOld }: Update & { readonly isOld: boolean },
): Promise<string | undefined> {
  try {
    const before = await baseOf(git, repo, { ref, oldOid: old_oid })
    const query = { tip: new_oid, ...(before === undefined ? {} : { not: [before] }) }
    const commits = isOld ? [] : await git.history.list(query, { skip: 0, limit: MAX_COMMITS })
    const head = commits[0] ?? (await git.history.list({ tip: new_oid }, { skip: 0, limit: 1 }))[0]
    return JSON.stringify({
      Commits: commits.map(presentCommit),
      HeadCommit: head === undefined ? null : presentCommit(head),
      CompareURL: before === undefined ? '' : `${repo.fullName}/compare/${before}...${new_oid}`,
      Len: isOld ? 0 : await git.history.count(query),
    })
  } catch (error) {
    if (isGitError(error)) return undefined
    throw error
  }
}

/**
 * The commit that the listed commits exclude: the old tip, the default branch for a new branch, undefined for the
 * first.
 */
async function baseOf(
  git: GitRepo,
  repo: Repo,
  { ref, oldOid }: { ref: string; oldOid: string },
): Promise<string | undefined> {
  if (!isZeroOid(oldOid)) return oldOid
  const main = BRANCH + repo.defaultBranch
  return ref === main ? undefined : (await git.refs.snapshot()).get(main)?.oid
}

const presentCommit = (commit: Commit) => ({
  Sha1: commit.oid,
  Message: commit.message,
  AuthorEmail: commit.author.email,
  AuthorName: commit.author.name,
  CommitterEmail: commit.committer.email,
  CommitterName: commit.committer.name,
  Timestamp: wireTime(commit.committer.time * 1000),
})
