import { escapePath, type RepoUrls } from '../../../../core/access/repo-urls.ts'
import type { Identity, Target } from '../../../../core/git/index.ts'
import { commitTime } from '../../history/commit.present.ts'
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

/** Presents the entries of one answer; what all of them share is made once. */
export function contentsPresenter({
  urls,
  target,
  ref,
}: ContentsContext): (entry: EntryView, show: ContentsShow) => ContentsResponse {
  const root: Root = {
    contents: `${urls.api}/contents/`,
    query: `?ref=${encodeURIComponent(ref).replaceAll('%20', '+')}`,
    blobs: `${urls.api}/git/blobs/`,
    html: urls.html,
    place: `${LINK_KIND[target.kind]}/${escapePath(target.name)}/`,
  }
  const times = new Map<Identity, string>()
  const timeOf = (identity: Identity): string => {
    const time = times.get(identity) ?? commitTime(identity)
    times.set(identity, time)
    return time
  }
  return (entry, show) => presentContents(entry, { root, timeOf }, show)
}

/** Beginnings of addresses. */
interface Root {
  readonly contents: string
  /** What follows the path of an entry in `contents`. */
  readonly query: string
  readonly blobs: string
  readonly html: string
  readonly place: string
}

interface Shared {
  readonly root: Root
  timeOf(identity: Identity): string
}

function presentContents(entry: EntryView, { root, timeOf }: Shared, show: ContentsShow): ContentsResponse {
  const path = escapePath(entry.path)
  const self = `${root.contents}${path}${root.query}`
  const place = `${root.place}${path}`
  const isModule = entry.kind === 'submodule'
  // COMPAT: the address of a directory is that of a blob too (behaviour/git-data-and-transport#reading-contents;
  // test/code/reads.test.ts).
  const git = isModule ? null : `${root.blobs}${entry.oid}`
  const html = isModule ? null : `${root.html}/src/${place}`
  const hasBytes = entry.kind === 'file' || entry.kind === 'symlink'
  const content = show.content && entry.kind === 'file' ? entry.content : undefined
  return {
    name: entry.path.slice(entry.path.lastIndexOf('/') + 1),
    path: entry.path,
    sha: entry.oid,
    ...lastCommitOf(entry, timeOf, show),
    type: entry.kind,
    size: entry.size,
    encoding: content ? 'base64' : null,
    content: content?.toString('base64') ?? null,
    target: entry.target ?? null,
    url: self,
    html_url: html,
    git_url: git,
    download_url: hasBytes ? `${root.html}/raw/${place}` : null,
    submodule_git_url: entry.submoduleUrl ?? null,
    _links: { self, git, html },
    ...(entry.lfs && { lfs_oid: entry.lfs.oid, lfs_size: entry.lfs.size }),
  }
}

function lastCommitOf(
  { lastCommit }: EntryView,
  timeOf: Shared['timeOf'],
  show: ContentsShow,
): Partial<ContentsResponse> {
  if (lastCommit === undefined) return {}
  const metadata = {
    last_commit_sha: lastCommit.oid,
    last_committer_date: timeOf(lastCommit.committer),
    last_author_date: timeOf(lastCommit.author),
  }
  return {
    ...(show.commitMetadata && metadata),
    ...(show.commitMessage && { last_commit_message: lastCommit.message }),
  }
}
