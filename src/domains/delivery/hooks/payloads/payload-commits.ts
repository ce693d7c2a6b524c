import { repoUrls } from '../../../../core/access/repo-urls.ts'
import type { Commit, Git } from '../../../../core/git/index.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { type CommitView, type CommitViews, type PayloadCommit, presentPayloadCommit } from '../../../code/index.ts'
import type { Repo } from '../../../repositories/index.ts'

export interface PayloadCommitDeps {
  readonly git: Git
  readonly commitViews: CommitViews
  readonly site: Site
}

interface Parts {
  /** What the commits changed. */
  readonly files: boolean
  readonly verification: boolean
}

/** Paths in each list of a commit. */
const MAX_PATHS = 1000
const MAX_PATH_LENGTH = 4096
/** Characters of the paths of all commits of an event. */
const MAX_PATHS_LENGTH = 512 * 1024
const MAX_MESSAGE_LENGTH = 65_536
const MAX_NAME_LENGTH = 1024

/** How many characters of paths the messages of one event still take. */
export interface PathBudget {
  left: number
}

export const startPathBudget = (): PathBudget => ({ left: MAX_PATHS_LENGTH })

/** Commits as payloads contain them, in the order given. Texts and lists are cut: commits may contain any amount. */
export async function loadPayloadCommits(
  { git, commitViews, site }: PayloadCommitDeps,
  repo: Repo,
  commits: readonly Commit[],
  { budget = startPathBudget(), ...parts }: Parts & { readonly budget?: PathBudget },
): Promise<PayloadCommit[]> {
  const urls = repoUrls(repo, site)
  const views = await commitViews.load(git.open(repo), commits, { stat: false, ...parts })
  return views.map((view) => ({ ...cut(presentPayloadCommit(view, urls)), ...presentPaths(view, budget) }))
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

/** NOTE: half a character is no valid JSON for many receivers. */
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
