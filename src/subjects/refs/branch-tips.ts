import { branchRef, type Git, type GitRepo } from '../../git/index.ts'
import { forbidden, notFound } from '../../platform/errors.ts'
import type { Repo } from '../repos/index.ts'

/** Branch writes need a repository that has branches and is no mirror. */
export async function openFilled(git: Git, repo: Repo): Promise<GitRepo> {
  const opened = git.open(repo)
  if ((await opened.refs.snapshot()).list('refs/heads/').length === 0) throw notFound('Git Repository is empty.')
  if (repo.isMirror) throw forbidden('Git Repository is a mirror.')
  return opened
}

export async function tipOf(git: GitRepo, name: string, missing = "Branch doesn't exist."): Promise<string> {
  const oid = (await git.refs.snapshot()).get(branchRef(name))?.oid
  if (oid === undefined) throw notFound(missing)
  return oid
}
