import { Type, type Static } from '@sinclair/typebox'
import { Timestamp } from '../text.ts'

export const Identity = Type.Object({ name: Type.Optional(Type.String({ maxLength: 100 })), email: Type.Optional(Type.String({ maxLength: 254 })) }, { $id: 'Identity' })
export type Identity = Static<typeof Identity>

export const CommitDateOptions = Type.Object({ author: Type.Optional(Timestamp()), committer: Type.Optional(Timestamp()) }, { $id: 'CommitDateOptions' })
export type CommitDateOptions = Static<typeof CommitDateOptions>

const Sha = Type.String({ 'x-field': 'SHA', description: 'Blob id that the file must have' })

const common = {
  branch: Type.Optional(Type.String({ description: 'Branch to start from (default: the default branch)' })),
  new_branch: Type.Optional(Type.String({ maxLength: 100, description: 'Branch to make and commit to (default: branch)' })),
  message: Type.Optional(Type.String({ description: 'Commit message (default: says what happens to which file)' })),
  author: Type.Optional(Identity),
  committer: Type.Optional(Identity),
  dates: Type.Optional(CommitDateOptions),
  signoff: Type.Optional(Type.Boolean({ description: 'Add a Signed-off-by line' })),
  force_push: Type.Optional(Type.Boolean({ description: 'Move new_branch even when it exists' })),
}
const Content = Type.String({ description: 'Base64; an empty file when absent' })

/** What every change of files has in common. */
export const FileOptions = Type.Object(common, { $id: 'FileOptions' })
export type FileOptions = Static<typeof FileOptions>

export const CreateFileOptions = Type.Object({ ...common, content: Type.Optional(Content) }, { $id: 'CreateFileOptions' })
export type CreateFileOptions = Static<typeof CreateFileOptions>

export const UpdateFileOptions = Type.Object(
  { ...common, content: Type.Optional(Content), sha: Type.Optional(Sha), from_path: Type.Optional(Type.String({ maxLength: 500, description: 'Where the file was' })) },
  { $id: 'UpdateFileOptions' },
)
export type UpdateFileOptions = Static<typeof UpdateFileOptions>

export const DeleteFileOptions = Type.Object({ ...common, sha: Sha }, { $id: 'DeleteFileOptions' })
export type DeleteFileOptions = Static<typeof DeleteFileOptions>

export const ChangeFileOperation = Type.Object(
  {
    operation: Type.String({ enum: ['create', 'update', 'upload', 'rename', 'delete'] }),
    path: Type.String({ maxLength: 500 }),
    content: Type.Optional(Content),
    from_path: Type.Optional(Type.String({ maxLength: 500 })),
    sha: Type.Optional(Sha),
  },
  { $id: 'ChangeFileOperation' },
)
export type ChangeFileOperation = Static<typeof ChangeFileOperation>

export const ChangeFilesOptions = Type.Object({ ...common, files: Type.Array(ChangeFileOperation) }, { $id: 'ChangeFilesOptions' })
export type ChangeFilesOptions = Static<typeof ChangeFilesOptions>

export const ApplyDiffPatchFileOptions = Type.Object({ ...common, content: Type.String({ description: 'The diff, as text' }) }, { $id: 'ApplyDiffPatchFileOptions' })
export type ApplyDiffPatchFileOptions = Static<typeof ApplyDiffPatchFileOptions>
