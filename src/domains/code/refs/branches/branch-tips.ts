import { branchRef, type Git, type GitRepo, hasBranches } from '../../../../core/git/index.ts'
import { forbidden, notFound } from '../../../../core/platform/errors.ts'
import type { Repo } from '../../../repositories/index.ts'

/** Opens a repository for a change of its branches. Throws NotFound when it has none, Forbidden when it is a mirror. */
export async function openNonEmpty(git: Git, repo: Repo): Promise<GitRepo> {
  const opened = git.open(repo)
  if (!(await hasBranches(opened))) throw notFound('Git Repository is empty.')
  if (repo.isMirror) throw forbidden('Git Repository is a mirror.')
  return opened
}

/** The commit of a branch. Throws NotFound with the text `missing` when there is no such branch. */
export async function tipOf(git: GitRepo, name: string, missing = "Branch doesn't exist."): Promise<string> {
  const oid = (await git.refs.snapshot()).get(branchRef(name))?.oid
  if (oid === undefined) throw notFound(missing)
  return oid
}
