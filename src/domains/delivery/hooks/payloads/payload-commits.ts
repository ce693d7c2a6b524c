import type { Services } from '../../../../core/module.ts'
import { repoUrls } from '../../../../core/access/repo-urls.ts'
import {
  type Commit,
  type Git,
  branchRef,
  type GitRepo,
  ignoringMissing,
  isZeroOid,
} from '../../../../core/git/index.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { type CommitView, type PayloadCommit, commitPresenters } from '../../../code/index.ts'
import type { Repo } from '../../../repositories/index.ts'

export interface PayloadCommitDeps {
  readonly git: Git
  readonly commitViews: Services['commitViews']
  readonly site: Site
}

interface Parts {
  /** Whether to include the changed files of commits. */
  readonly files: boolean
  readonly verification: boolean
}

/** The maximum number of paths in each list of a commit. */
const MAX_PATHS = 1000
const MAX_PATH_LENGTH = 4096
/** The maximum number of characters of the paths of all commits of an event. */
const MAX_PATHS_LENGTH = 512 * 1024
const MAX_MESSAGE_LENGTH = 65_536
const MAX_NAME_LENGTH = 1024

/** The remaining number of characters of paths in the messages of one event. */
export interface PathBudget {
  left: number
}

export const startPathBudget = (): PathBudget => ({ left: MAX_PATHS_LENGTH })

/**
 * Commits as payloads contain them, in the given order. Texts and lists are truncated, because commits may be of any
 * size.
 */
export async function loadPayloadCommits(
  { git, commitViews, site }: PayloadCommitDeps,
  repo: Repo,
  commits: readonly Commit[],
  { budget = startPathBudget(), ...parts }: Parts & { readonly budget?: PathBudget },
): Promise<PayloadCommit[]> {
  const urls = repoUrls(repo, site)
  const views = await commitViews.load(git.open(repo), commits, { stat: false, ...parts })
  return views.map((view) => ({ ...cut(commitPresenters.presentPayload(view, urls)), ...presentPaths(view, budget) }))
}

function presentPaths(
  { changes }: CommitView,
  budget: PathBudget,
): Pick<PayloadCommit, 'added' | 'removed' | 'modified'> {
  const lists = { added: [] as string[], removed: [] as string[], modified: [] as string[] }
  for (const { status, path } of changes?.files ?? []) {
    const list = Object.hasOwn(lists, status) ? lists[status as keyof typeof lists] : undefined
    if (list === undefined || list.length >= MAX_PATHS) continue
    if (path.length > Math.min(budget.left, MAX_PATH_LENGTH)) continue
    budget.left -= path.length
    list.push(path)
  }
  return lists
}

/** NOTE: many receivers refuse JSON with lone surrogates. */
const beginning = (text: string, length: number): string => text.slice(0, length).toWellFormed()

function cut(commit: PayloadCommit): PayloadCommit {
  const person = ({ name, email, username }: PayloadCommit['author']) => ({
    name: beginning(name, MAX_NAME_LENGTH),
    email: beginning(email, MAX_NAME_LENGTH),
    username,
  })
  return {
    ...commit,
    message: beginning(commit.message, MAX_MESSAGE_LENGTH),
    author: person(commit.author),
    committer: person(commit.committer),
  }
}

export interface RefUpdate {
  readonly ref: string
  readonly old_oid: string
  readonly new_oid: string
}

/** The commits that the update of a ref added. */
export interface PushedCommits {
  /** Newest first, at most `MAX_COMMITS`. */
  readonly commits: readonly Commit[]
  readonly total: number
  /** The commit at the new tip; undefined on deletion, and for a tag of something else. */
  readonly head: Commit | undefined
}

const MAX_COMMITS = 5
/** The maximum number of branch tips that a new branch is compared with. */
const MAX_TIPS = 200
const BRANCH = branchRef('')
export const NO_COMMITS: PushedCommits = { commits: [], total: 0, head: undefined }

/**
 * Commits of a branch since its old tip; for a new branch, commits that no earlier branch contains; none for a tag.
 * `later` are refs that the same push created after this one. Never fails: omits data that was deleted concurrently.
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

/** Tips of the branches other than `ref`, starting with the default branch. */
async function otherTips(git: GitRepo, repo: Repo, ref: string, later: ReadonlySet<string>): Promise<string[]> {
  const snapshot = await git.refs.snapshot()
  const others = [snapshot.get(branchRef(repo.defaultBranch)) ?? [], snapshot.list(BRANCH)].flat()
  const oids = others.flatMap((other) => (other.name === ref || later.has(other.name) ? [] : other.oid))
  return [...new Set(oids)].slice(0, MAX_TIPS)
}
