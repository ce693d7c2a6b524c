import type { RepoUrls } from '../../../../core/access/repo-urls.ts'
import type { Commit, Identity } from '../../../../core/git/index.ts'
import { ZERO_TIME } from '../../../../core/platform/clock.ts'
import type { CommitUser } from '../../history/commit.model.ts'
import { commitUtcTime, presentMeta, presentVerification } from '../../history/commit.present.ts'
import type { FileCommitResponse, FileResponse, FilesResponse } from '../contents.model.ts'
import { type ContentsShow, contentsPresenter } from '../contents.present.ts'
import type { FileChangeResult } from './file-writer.service.ts'

const SHOW_ALL: ContentsShow = { content: true, commitMetadata: true, commitMessage: false }

/** The response to a change of one file. */
export function presentFileChange(result: FileChangeResult, urls: RepoUrls): FileResponse {
  const [file] = presentFiles(result, urls)
  return { content: file ?? null, ...presentCommit(result, urls) }
}

/** Yields the files of a change one at a time: all of them may have hundreds of MiB. */
export function* presentFiles(
  { target, entries }: FileChangeResult,
  urls: RepoUrls,
): Generator<FilesResponse['files'][number], void, undefined> {
  const present = contentsPresenter({ urls, target, ref: target.name })
  for (const entry of entries) yield entry ? present(entry, SHOW_ALL) : null
}

export const presentCommit = (
  { commit, verification }: FileChangeResult,
  urls: RepoUrls,
): Omit<FilesResponse, 'files'> => ({
  commit: presentFileCommit(commit, urls),
  verification: presentVerification(verification),
})

function presentFileCommit(commit: Commit, urls: RepoUrls): FileCommitResponse {
  return {
    ...presentMeta(urls, commit.oid),
    html_url: `${urls.html}/commit/${commit.oid}`,
    author: presentUtcUser(commit.author),
    committer: presentUtcUser(commit.committer),
    parents: commit.parents.map((parent) => presentMeta(urls, parent)),
    message: commit.message,
    tree: { url: `${urls.api}/git/trees/${commit.tree}`, sha: commit.tree, created: ZERO_TIME },
  }
}

const presentUtcUser = (identity: Identity): CommitUser => ({
  name: identity.name,
  email: identity.email,
  date: commitUtcTime(identity),
})
