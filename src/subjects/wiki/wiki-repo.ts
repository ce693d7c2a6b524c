import { branchRef, type Git, type GitRepo, isGitError } from '../../git/index.ts'
import type { Repo } from '../repos/index.ts'

const storageOf = (repo: Repo): string => `${repo.storage}.wiki`

/** The git repository of the wiki; undefined before the first page. */
export async function findWiki(git: Git, repo: Repo): Promise<GitRepo | undefined> {
  const storage = storageOf(repo)
  return (await git.repoExists(storage)) ? git.open({ storage, objectFormat: repo.objectFormat }) : undefined
}

export async function ensureWiki(git: Git, repo: Repo): Promise<GitRepo> {
  const known = await findWiki(git, repo)
  if (known) return known
  try {
    await git.createRepo(storageOf(repo), { objectFormat: repo.objectFormat, defaultBranch: repo.wikiBranch })
  } catch (error) {
    if (!isGitError(error, 'exists')) throw error
  }
  return git.open({ storage: storageOf(repo), objectFormat: repo.objectFormat })
}

/**
 * For a repository that was deleted while its wiki was written: files written after their deletion would belong to no
 * repository.
 */
export const discardWiki = (git: Git, repo: Repo): Promise<boolean> => git.removeRepo(storageOf(repo))

/** The tip as the row of the repository records it: empty where there is none. */
export async function recordedOid(git: Git, repo: Repo): Promise<string> {
  const wiki = await findWiki(git, repo)
  return (wiki && (await wikiTip(wiki, repo)).oid) ?? ''
}

export interface WikiTip {
  /** Full name of the branch that pages are on. */
  readonly ref: string
  /** Its commit; undefined before the first page. */
  readonly oid: string | undefined
}

/** The branch that the settings name, else the one that HEAD names: a crash or a push may have left the two apart. */
export async function wikiTip(wiki: GitRepo, repo: Repo): Promise<WikiTip> {
  const snapshot = await wiki.refs.snapshot()
  const wanted = branchRef(repo.wikiBranch)
  const named = snapshot.get(wanted)
  if (named) return { ref: wanted, oid: named.oid }
  const head = snapshot.head === undefined ? undefined : snapshot.get(snapshot.head)
  return head ? { ref: head.name, oid: head.oid } : { ref: wanted, oid: undefined }
}
