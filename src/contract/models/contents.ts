import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../nullable.ts'
import { CommitMeta, CommitUser, PayloadCommitVerification } from './commit.ts'

const Text = Nullable(Type.String())
const Time = Type.String({ format: 'date-time' })

export const FileLinksResponse = Type.Object({ self: Type.String(), git: Text, html: Text }, { $id: 'FileLinksResponse' })
export type FileLinksResponse = Static<typeof FileLinksResponse>

/** A file, directory, symlink or submodule. What does not apply is null; only what must be asked for may be absent. */
export const ContentsResponse = Type.Object(
  {
    name: Type.String(),
    path: Type.String(),
    sha: Type.String(),
    last_commit_sha: Type.Optional(Type.String()),
    last_committer_date: Type.Optional(Time),
    last_author_date: Type.Optional(Time),
    last_commit_message: Type.Optional(Type.String()),
    type: Type.String(),
    size: Type.Integer(),
    encoding: Text,
    content: Text,
    target: Text,
    url: Type.String(),
    html_url: Text,
    git_url: Text,
    download_url: Text,
    submodule_git_url: Text,
    _links: FileLinksResponse,
    lfs_oid: Type.Optional(Type.String()),
    lfs_size: Type.Optional(Type.Integer()),
  },
  { $id: 'ContentsResponse' },
)
export type ContentsResponse = Static<typeof ContentsResponse>

export const ContentsExtResponse = Type.Object(
  { file_contents: Type.Optional(ContentsResponse), dir_contents: Type.Optional(Type.Array(ContentsResponse)) },
  { $id: 'ContentsExtResponse' },
)
export type ContentsExtResponse = Static<typeof ContentsExtResponse>

export const FileCommitResponse = Type.Object(
  {
    url: Type.String(),
    sha: Type.String(),
    created: Time,
    html_url: Type.String(),
    author: CommitUser,
    committer: CommitUser,
    parents: Type.Array(CommitMeta),
    message: Type.String(),
    tree: CommitMeta,
  },
  { $id: 'FileCommitResponse' },
)
export type FileCommitResponse = Static<typeof FileCommitResponse>

export const FileResponse = Type.Object(
  { content: Nullable(ContentsResponse), commit: FileCommitResponse, verification: PayloadCommitVerification },
  { $id: 'FileResponse' },
)
export type FileResponse = Static<typeof FileResponse>

export const FilesResponse = Type.Object(
  { files: Type.Array(Nullable(ContentsResponse)), commit: FileCommitResponse, verification: PayloadCommitVerification },
  { $id: 'FilesResponse' },
)
export type FilesResponse = Static<typeof FilesResponse>

export const FileDeleteResponse = Type.Object(
  { content: Type.Null(), commit: FileCommitResponse, verification: PayloadCommitVerification },
  { $id: 'FileDeleteResponse' },
)
export type FileDeleteResponse = Static<typeof FileDeleteResponse>
