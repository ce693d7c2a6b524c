import { type Static, Type } from '@sinclair/typebox'
import {
  BATCH_ITEMS,
  FILES_BODY_BYTES,
  NAME_LENGTH,
  PATH_LENGTH,
  TEXT_LENGTH,
} from '../../../../core/http/body/limits.ts'
import { Nullable } from '../../../../core/http/openapi/nullable.ts'
import { Timestamp } from '../../../../core/http/answer/text.ts'
import { CommitMeta, CommitUser, PayloadCommitVerification } from '../../history/commit.model.ts'

const Text = Nullable(Type.String())
const Time = Type.String({ format: 'date-time' })

const FileLinksResponse = Type.Object({ self: Type.String(), git: Text, html: Text }, { $id: 'FileLinksResponse' })

/**
 * A file, directory, symlink or submodule. Members that do not apply are null; only requested members may be absent.
 */
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
  {
    files: Type.Array(Nullable(ContentsResponse)),
    commit: FileCommitResponse,
    verification: PayloadCommitVerification,
  },
  { $id: 'FilesResponse' },
)
export type FilesResponse = Static<typeof FilesResponse>

export const FileDeleteResponse = Type.Object(
  { content: Type.Null(), commit: FileCommitResponse, verification: PayloadCommitVerification },
  { $id: 'FileDeleteResponse' },
)
export type FileDeleteResponse = Static<typeof FileDeleteResponse>

const Identity = Type.Object(
  { name: Type.Optional(Type.String({ maxLength: 100 })), email: Type.Optional(Type.String({ maxLength: 254 })) },
  { $id: 'Identity' },
)
type Identity = Static<typeof Identity>

const CommitDateOptions = Type.Object(
  { author: Type.Optional(Timestamp()), committer: Type.Optional(Timestamp()) },
  { $id: 'CommitDateOptions' },
)

const Sha = Type.String({ maxLength: NAME_LENGTH, 'x-field': 'SHA', description: 'Blob id that the file must have' })

const common = {
  branch: Type.Optional(
    Type.String({ maxLength: NAME_LENGTH, description: 'Branch to start from (default: the default branch)' }),
  ),
  new_branch: Type.Optional(
    Type.String({ maxLength: 100, description: 'Branch to make and commit to (default: branch)' }),
  ),
  message: Type.Optional(
    Type.String({ maxLength: TEXT_LENGTH, description: 'Commit message (default: says what happens to which file)' }),
  ),
  author: Type.Optional(Identity),
  committer: Type.Optional(Identity),
  dates: Type.Optional(CommitDateOptions),
  signoff: Type.Optional(Type.Boolean({ description: 'Add a Signed-off-by line' })),
  force_push: Type.Optional(Type.Boolean({ description: 'Move new_branch even when it exists' })),
}
const Content = Type.String({ maxLength: FILES_BODY_BYTES, description: 'Base64; an empty file when absent' })

/** The members that every change of files has. */
export const FileOptions = Type.Object(common, { $id: 'FileOptions' })
export type FileOptions = Static<typeof FileOptions>

export const CreateFileOptions = Type.Object(
  { ...common, content: Type.Optional(Content) },
  { $id: 'CreateFileOptions' },
)
export type CreateFileOptions = Static<typeof CreateFileOptions>

export const UpdateFileOptions = Type.Object(
  {
    ...common,
    content: Type.Optional(Content),
    sha: Type.Optional(Sha),
    from_path: Type.Optional(Type.String({ maxLength: 500, description: 'Where the file was' })),
  },
  { $id: 'UpdateFileOptions' },
)
export type UpdateFileOptions = Static<typeof UpdateFileOptions>

export const DeleteFileOptions = Type.Object({ ...common, sha: Sha }, { $id: 'DeleteFileOptions' })
export type DeleteFileOptions = Static<typeof DeleteFileOptions>

const ChangeFileOperation = Type.Object(
  {
    operation: Type.String({ enum: ['create', 'update', 'upload', 'rename', 'delete'] }),
    path: Type.String({ maxLength: 500 }),
    content: Type.Optional(Content),
    from_path: Type.Optional(Type.String({ maxLength: 500 })),
    sha: Type.Optional(Sha),
  },
  { $id: 'ChangeFileOperation' },
)

export const ChangeFilesOptions = Type.Object(
  { ...common, files: Type.Array(ChangeFileOperation, { maxItems: BATCH_ITEMS }) },
  { $id: 'ChangeFilesOptions' },
)
export type ChangeFilesOptions = Static<typeof ChangeFilesOptions>

export const ApplyDiffPatchFileOptions = Type.Object(
  { ...common, content: Type.String({ maxLength: FILES_BODY_BYTES, description: 'The diff, as text' }) },
  { $id: 'ApplyDiffPatchFileOptions' },
)
export type ApplyDiffPatchFileOptions = Static<typeof ApplyDiffPatchFileOptions>

export const GetFilesOptions = Type.Object(
  { files: Type.Array(Type.String({ maxLength: PATH_LENGTH }), { maxItems: BATCH_ITEMS }) },
  { $id: 'GetFilesOptions' },
)
export type GetFilesOptions = Static<typeof GetFilesOptions>
