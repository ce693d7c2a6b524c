import { repoUrls } from '../../../access/repo-urls.ts'
import type { Commit, Git } from '../../../git/index.ts'
import type { Site } from '../../../platform/site.ts'
import { type CommitView, type CommitViews, type PayloadCommit, presentPayloadCommit } from '../../history/index.ts'
import type { Repo } from '../../repos/index.ts'

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
/** Characters of the paths of all commits of a message. */
const MAX_PATHS_LENGTH = 512 * 1024
const MAX_MESSAGE_LENGTH = 65_536
const MAX_NAME_LENGTH = 1024

/** Commits as payloads contain them, in the order given. Texts and lists are cut: commits may contain any amount. */
export async function loadPayloadCommits(
  { git, commitViews, site }: PayloadCommitDeps,
  repo: Repo,
  commits: readonly Commit[],
  parts: Parts,
): Promise<PayloadCommit[]> {
  const urls = repoUrls(repo, site)
  const views = await commitViews.load(git.open(repo), commits, { stat: false, ...parts })
  let left = MAX_PATHS_LENGTH
  const fits = ({ path }: { readonly path: string }): boolean => {
    if (path.length > Math.min(left, MAX_PATH_LENGTH)) return false
    left -= path.length
    return true
  }
  return views.map((view) => ({ ...cut(presentPayloadCommit(view, urls)), ...presentPaths(view, fits) }))
}

function presentPaths(
  { changes }: CommitView,
  fits: (file: { readonly path: string }) => boolean,
): Pick<PayloadCommit, 'added' | 'removed' | 'modified'> {
  const files = (changes?.files ?? []).filter(fits)
  const having = (status: string): string[] =>
    files.flatMap((file) => (file.status === status ? file.path : [])).slice(0, MAX_PATHS)
  return { added: having('added'), removed: having('removed'), modified: having('modified') }
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
