import { escapePath, type RepoUrls } from '../../../access/repo-urls.ts'
import { commitTime } from '../../history/index.ts'
import type { Target } from '../../verification/index.ts'
import type { ContentsResponse } from './contents.model.ts'
import type { EntryView } from './contents.service.ts'

export interface ContentsShow {
  readonly content: boolean
  readonly commitMetadata: boolean
  readonly commitMessage: boolean
}

/** `ref` is used in the address as the client sent it. */
interface ContentsContext {
  readonly urls: RepoUrls
  readonly target: Target
  readonly ref: string
}

const LINK_KIND = { branch: 'branch', tag: 'tag', commit: 'commit' } as const

export function presentContents(
  entry: EntryView,
  { urls, target, ref }: ContentsContext,
  show: ContentsShow,
): ContentsResponse {
  const path = escapePath(entry.path)
  const self = `${urls.api}/contents/${path}?ref=${encodeURIComponent(ref).replaceAll('%20', '+')}`
  const place = `${LINK_KIND[target.kind]}/${escapePath(target.name)}/${path}`
  const isModule = entry.kind === 'submodule'
  // COMPAT: the address of a directory is that of a blob too (behaviour/git-data-and-transport#reading-contents;
  // test/api/code/reads.test.ts).
  const git = isModule ? null : `${urls.api}/git/blobs/${entry.oid}`
  const html = isModule ? null : `${urls.html}/src/${place}`
  const hasBytes = entry.kind === 'file' || entry.kind === 'symlink'
  const content = show.content && entry.kind === 'file' ? entry.content : undefined
  return {
    name: entry.path.slice(entry.path.lastIndexOf('/') + 1),
    path: entry.path,
    sha: entry.oid,
    ...lastCommitOf(entry, show),
    type: entry.kind,
    size: entry.size,
    encoding: content ? 'base64' : null,
    content: content?.toString('base64') ?? null,
    target: entry.target ?? null,
    url: self,
    html_url: html,
    git_url: git,
    download_url: hasBytes ? `${urls.html}/raw/${place}` : null,
    submodule_git_url: entry.submoduleUrl ?? null,
    _links: { self, git, html },
    ...(entry.lfs && { lfs_oid: entry.lfs.oid, lfs_size: entry.lfs.size }),
  }
}

function lastCommitOf({ lastCommit }: EntryView, show: ContentsShow): Partial<ContentsResponse> {
  if (lastCommit === undefined) return {}
  const metadata = {
    last_commit_sha: lastCommit.oid,
    last_committer_date: commitTime(lastCommit.committer),
    last_author_date: commitTime(lastCommit.author),
  }
  return {
    ...(show.commitMetadata && metadata),
    ...(show.commitMessage && { last_commit_message: lastCommit.message }),
  }
}
