import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { BATCH_ITEMS, FILES_BODY_BYTES, NAME_LENGTH, PATH_LENGTH, TEXT_LENGTH } from '../../../core/http/body/limits.ts'
import { Timestamp } from '../../../core/http/answer/text.ts'
import { CommitMeta, CommitUser, PayloadCommitVerification } from '../history/commit.model.ts'

/** Contains only the members that apply. */
export const EditorConfig = Type.Object(
  {
    charset: Type.Optional(Type.String()),
    indent_style: Type.Optional(Type.String()),
    indent_size: Type.Optional(Type.String()),
    tab_width: Type.Optional(Type.Integer()),
    end_of_line: Type.Optional(Type.String()),
    trim_trailing_whitespace: Type.Optional(Type.Boolean()),
    insert_final_newline: Type.Optional(Type.Boolean()),
    max_line_length: Type.Optional(Type.String()),
  },
  { $id: 'EditorConfig' },
)
export type EditorConfig = Static<typeof EditorConfig>

const IssueFormField = Type.Object(
  {
    type: Type.String({ description: 'markdown, textarea, input, dropdown or checkboxes' }),
    id: Type.String(),
    attributes: Type.Record(Type.String(), Type.Unknown()),
    validations: Nullable(Type.Record(Type.String(), Type.Unknown())),
    visible: Type.Array(Type.String()),
  },
  { $id: 'IssueFormField' },
)

export const IssueTemplate = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    about: Type.String(),
    labels: Nullable(Type.Array(Type.String())),
    assignees: Nullable(Type.Array(Type.String())),
    ref: Type.String(),
    content: Type.String({ description: 'Empty for forms' }),
    body: Nullable(Type.Array(IssueFormField)),
    file_name: Type.String(),
  },
  { $id: 'IssueTemplate' },
)
export type IssueTemplate = Static<typeof IssueTemplate>

const IssueConfigContactLink = Type.Object(
  { name: Type.String(), url: Type.String(), about: Type.String() },
  { $id: 'IssueConfigContactLink' },
)

export const IssueConfig = Type.Object(
  { blank_issues_enabled: Type.Boolean(), contact_links: Type.Array(IssueConfigContactLink) },
  { $id: 'IssueConfig' },
)

export const IssueConfigValidation = Type.Object(
  { valid: Type.Boolean(), message: Type.String() },
  { $id: 'IssueConfigValidation' },
)

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
    last_commit_when: Type.Optional(Time),
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
    Type.String({ maxLength: TEXT_LENGTH, description: 'Commit message (default: names the changes and their files)' }),
  ),
  author: Type.Optional(Identity),
  committer: Type.Optional(Identity),
  dates: Type.Optional(CommitDateOptions),
  signoff: Type.Optional(Type.Boolean({ description: 'Add a Signed-off-by line' })),
  force_push: Type.Optional(Type.Boolean({ description: 'Move new_branch even when it exists' })),
  force_overwrite_new_branch: Type.Optional(Type.Boolean({ description: 'Another name of force_push' })),
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
