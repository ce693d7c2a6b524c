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
  return views.map((view) => ({ ...cut(presentPayloadCommit(view, urls)), ...presentPaths(view) }))
}

function presentPaths({ changes }: CommitView): Pick<PayloadCommit, 'added' | 'removed' | 'modified'> {
  const files = (changes?.files ?? []).filter(({ path }) => path.length <= MAX_PATH_LENGTH)
  const having = (status: string): string[] =>
    files.flatMap((file) => (file.status === status ? file.path : [])).slice(0, MAX_PATHS)
  return { added: having('added'), removed: having('removed'), modified: having('modified') }
}

function cut(commit: PayloadCommit): PayloadCommit {
  const person = ({ name, email, username }: PayloadCommit['author']) => ({
    name: name.slice(0, MAX_NAME_LENGTH),
    email: email.slice(0, MAX_NAME_LENGTH),
    username,
  })
  return {
    ...commit,
    message: commit.message.slice(0, MAX_MESSAGE_LENGTH),
    author: person(commit.author),
    committer: person(commit.committer),
  }
}
