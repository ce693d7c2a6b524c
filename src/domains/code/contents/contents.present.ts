import { cacheScope, type Viewer } from '../../../core/access/viewer.ts'
import {
  type ByteRange,
  contentDisposition,
  contentType,
  etagMatches,
  SANDBOX_CSP,
  requestedRange,
} from '../../../core/platform/http/media-type.ts'
import type { RawFile } from './raw/raw-files.service.ts'
import { escapePath, type RepoUrls } from '../../../core/access/repo-urls.ts'
import type { Identity, Target } from '../../../core/git/index.ts'
import { commitTime } from '../history/commit.present.ts'
import type {
  ContentsResponse,
  EditorConfig,
  IssueConfig as IssueConfigModel,
  IssueTemplate as IssueTemplateModel,
} from './contents.model.ts'
import type { EntryView } from './read/contents.service.ts'
import type { EditorProperties } from './templates/editorconfig.ts'
import type { Static } from '@sinclair/typebox'
import type { IssueConfig } from './contents.policy.ts'
import type { IssueTemplate } from './templates/issue-files.task.ts'

interface RawRequest {
  readonly 'if-none-match'?: string | undefined
  readonly range?: string | undefined
  readonly 'if-range'?: string | string[] | undefined
}

/** The response to a request for a file. `window` is the range of bytes to send; undefined for none. */
interface RawResponse {
  readonly status: 200 | 206 | 304 | 416
  readonly headers: Readonly<Record<string, string>>
  readonly window: ByteRange | undefined
}

/**
 * Decides status and headers. Text is sent as plain text, media with their own type, other files as octet-stream
 * (behaviour/git-data-and-transport#raw-files-languages-and-archives).
 */
export function presentRawFile(file: RawFile, request: RawRequest, viewer: Viewer): RawResponse {
  const etag = `"${file.oid}"`
  const headers = { ...rawHeaders(file, viewer), etag }
  if (etagMatches(request['if-none-match'], etag)) return { status: 304, headers, window: undefined }
  const range = requestedRange(request, { size: file.size, etag })
  if (range === 'bad')
    return {
      status: 416,
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'content-range': `bytes */${file.size}`,
        'x-ingot-reason': 'range_not_satisfiable',
      },
      window: undefined,
    }
  const window = range ?? { start: 0, end: file.size - 1 }
  const partial: Record<string, string> =
    range === undefined ? {} : { 'content-range': `bytes ${range.start}-${range.end}/${file.size}` }
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      ...headers,
      ...partial,
      'accept-ranges': 'bytes',
      'content-length': String(window.end - window.start + 1),
    },
    window,
  }
}

function rawHeaders(file: RawFile, viewer: Viewer): Record<string, string> {
  const kind = file.isSymlink ? 'symlink' : 'file'
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  return {
    'content-type': contentType(name, file.head),
    'content-disposition': contentDisposition('inline', name),
    'content-security-policy': SANDBOX_CSP,
    'cache-control': `${cacheScope(viewer)}, max-age=21600, no-transform`,
    'x-gitea-object-type': kind,
    'x-forgejo-object-type': kind,
    ...(file.modified > 0 && { 'last-modified': new Date(file.modified * 1000).toUTCString() }),
  }
}

export interface ContentsShow {
  readonly content: boolean
  readonly commitMetadata: boolean
  readonly commitMessage: boolean
}

/** URLs contain `ref` as the client sent it. */
interface ContentsContext {
  readonly urls: RepoUrls
  readonly target: Target
  readonly ref: string
}

const LINK_KIND = { branch: 'branch', tag: 'tag', commit: 'commit' } as const

/** Presents the entries of one response; values that all entries share are computed once. */
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
    address: `${LINK_KIND[target.kind]}/${escapePath(target.name)}/`,
  }
  const times = new Map<Identity, string>()
  const timeOf = (identity: Identity): string => {
    const time = times.get(identity) ?? commitTime(identity)
    times.set(identity, time)
    return time
  }
  return (entry, show) => presentContents(entry, { root, timeOf }, show)
}

/** Prefixes of URLs. */
interface Root {
  readonly contents: string
  /** The query after the path of an entry in `contents`. */
  readonly query: string
  readonly blobs: string
  readonly html: string
  readonly address: string
}

interface Shared {
  readonly root: Root
  timeOf(identity: Identity): string
}

function presentContents(entry: EntryView, { root, timeOf }: Shared, show: ContentsShow): ContentsResponse {
  const path = escapePath(entry.path)
  const self = `${root.contents}${path}${root.query}`
  const address = `${root.address}${path}`
  const isModule = entry.kind === 'submodule'
  // COMPAT: the URL of a directory is that of a blob too (behaviour/git-data-and-transport#reading-contents;
  // test/code/reads.test.ts).
  const git = isModule ? null : `${root.blobs}${entry.oid}`
  const html = isModule ? null : `${root.html}/src/${address}`
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
    download_url: hasBytes ? `${root.html}/raw/${address}` : null,
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
    last_commit_when: timeOf(lastCommit.committer),
    last_author_date: timeOf(lastCommit.author),
  }
  return {
    ...(show.commitMetadata && metadata),
    ...(show.commitMessage && { last_commit_message: lastCommit.message }),
  }
}

const TEXTS = ['charset', 'indent_style', 'indent_size', 'end_of_line', 'max_line_length'] as const
const FLAGS = ['trim_trailing_whitespace', 'insert_final_newline'] as const

/** COMPAT: a flag that is off is absent, like a property that does not apply (test/code/compare.test.ts). */
export function presentEditorConfig(properties: EditorProperties): EditorConfig {
  const width = Number(properties['tab_width'])
  return {
    ...Object.fromEntries(TEXTS.flatMap((name) => (properties[name] === undefined ? [] : [[name, properties[name]]]))),
    ...(Number.isSafeInteger(width) && { tab_width: width }),
    ...Object.fromEntries(FLAGS.flatMap((name) => (properties[name] === 'true' ? [[name, true]] : []))),
  }
}

export function presentIssueTemplate({
  path,
  name,
  about,
  title,
  labels,
  assignees,
  ref,
  content,
  fields,
}: IssueTemplate): IssueTemplateModel {
  return {
    name,
    title,
    about,
    labels: labels && [...labels],
    assignees: assignees && [...assignees],
    ref,
    content,
    body:
      fields && fields.map((field) => ({ ...field, attributes: { ...field.attributes }, visible: [...field.visible] })),
    file_name: path,
  }
}

export function presentIssueConfig({ blankIssues, contactLinks }: IssueConfig): Static<typeof IssueConfigModel> {
  return { blank_issues_enabled: blankIssues, contact_links: [...contactLinks] }
}
