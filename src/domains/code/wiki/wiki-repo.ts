import { branchRef, type Git, type GitRepo, isGitError } from '../../../core/git/index.ts'
import type { Repo } from '../../repositories/index.ts'

const storageOf = (repo: Repo): string => `${repo.storage}.wiki`

/** The git repository of the wiki; undefined if it has not been created. */
export async function findWiki(git: Git, repo: Repo): Promise<GitRepo | undefined> {
  const storage = storageOf(repo)
  return (await git.repoExists(storage)) ? git.open({ storage, objectFormat: repo.objectFormat }) : undefined
}

/** Creates the git repository of the wiki if it does not exist. */
export async function ensureWiki(git: Git, repo: Repo): Promise<GitRepo> {
  const existing = await findWiki(git, repo)
  if (existing) return existing
  try {
    await git.createRepo(storageOf(repo), { objectFormat: repo.objectFormat, defaultBranch: repo.wikiBranch })
  } catch (error) {
    if (!isGitError(error, 'exists')) throw error
  }
  return git.open({ storage: storageOf(repo), objectFormat: repo.objectFormat })
}

/** For a repository that was deleted while its wiki was written: the write may have created the files again. */
export const deleteWiki = (git: Git, repo: Repo): Promise<boolean> => git.removeRepo(storageOf(repo))

/** The value of `repo.wiki_oid`: the tip, or an empty string if there is none. */
export async function recordedOid(git: Git, repo: Repo): Promise<string> {
  const wiki = await findWiki(git, repo)
  return (wiki && (await wikiTip(wiki, repo)).oid) ?? ''
}

interface WikiTip {
  /** Full name of the branch of the pages. */
  readonly ref: string
  /** Its commit; undefined before the first page. */
  readonly oid: string | undefined
}

/** The branch of the row, else that of HEAD: after a crash or a push the two may differ. */
export async function wikiTip(wiki: GitRepo, repo: Repo): Promise<WikiTip> {
  const snapshot = await wiki.refs.snapshot()
  const wanted = branchRef(repo.wikiBranch)
  const named = snapshot.get(wanted)
  if (named) return { ref: wanted, oid: named.oid }
  const head = snapshot.head === undefined ? undefined : snapshot.get(snapshot.head)
  return head ? { ref: head.name, oid: head.oid } : { ref: wanted, oid: undefined }
}
