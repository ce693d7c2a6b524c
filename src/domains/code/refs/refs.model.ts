import { Type, type Static } from '@sinclair/typebox'
import { PATH_LENGTH, TEXT_LENGTH } from '../../../core/http/body/limits.ts'
import { GitRefName } from '../../../core/http/answer/text.ts'
import { PayloadCommit, CommitMeta, CommitUser, PayloadCommitVerification } from '../history/commit.model.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { TagArchiveDownloadCount } from '../archives/archive.model.ts'

export const Branch = Type.Object(
  {
    name: Type.String(),
    commit: PayloadCommit,
    protected: Type.Boolean(),
    required_approvals: Type.Integer(),
    enable_status_check: Type.Boolean(),
    status_check_contexts: Type.Array(Type.String()),
    user_can_push: Type.Boolean(),
    user_can_merge: Type.Boolean(),
    effective_branch_protection_name: Type.String(),
  },
  { $id: 'Branch' },
)
export type Branch = Static<typeof Branch>

export const CreateBranchRepoOption = Type.Object(
  {
    new_branch_name: GitRefName({ maxLength: 100, 'x-field': 'BranchName' }),
    old_branch_name: Type.Optional(Type.String({ maxLength: PATH_LENGTH, description: 'Branch to start from' })),
    old_ref_name: Type.Optional(
      Type.String({ maxLength: PATH_LENGTH, description: 'Branch, tag or commit to start from' }),
    ),
  },
  { $id: 'CreateBranchRepoOption' },
)
export type CreateBranchRepoOption = Static<typeof CreateBranchRepoOption>

export const RenameBranchRepoOption = Type.Object(
  { name: GitRefName({ maxLength: 100 }) },
  { $id: 'RenameBranchRepoOption' },
)
export type RenameBranchRepoOption = Static<typeof RenameBranchRepoOption>

export const UpdateBranchRepoOption = Type.Object(
  {
    new_commit_id: Type.String({ maxLength: PATH_LENGTH, 'x-field': 'NewCommitID' }),
    old_commit_id: Type.Optional(Type.String({ maxLength: PATH_LENGTH, description: 'Where the branch must be now' })),
    force: Type.Optional(Type.Boolean({ description: 'Let commits be left behind' })),
  },
  { $id: 'UpdateBranchRepoOption' },
)
export type UpdateBranchRepoOption = Static<typeof UpdateBranchRepoOption>

const GitObject = Type.Object({ type: Type.String(), sha: Type.String(), url: Type.String() }, { $id: 'GitObject' })

export const Reference = Type.Object(
  { ref: Type.String(), url: Type.String(), object: GitObject },
  { $id: 'Reference' },
)
export type Reference = Static<typeof Reference>

const GitEntry = Type.Object(
  {
    path: Type.String(),
    mode: Type.String(),
    type: Type.String(),
    size: Type.Integer(),
    sha: Type.String(),
    url: Type.String(),
  },
  { $id: 'GitEntry' },
)

export const GitTreeResponse = Type.Object(
  {
    sha: Type.String(),
    url: Type.String(),
    tree: Type.Array(GitEntry),
    truncated: Type.Boolean(),
    page: Type.Integer(),
    total_count: Type.Integer(),
  },
  { $id: 'GitTreeResponse' },
)
export type GitTreeResponse = Static<typeof GitTreeResponse>

export const GitBlobResponse = Type.Object(
  {
    content: Nullable(Type.String()),
    encoding: Nullable(Type.String()),
    url: Type.String(),
    sha: Type.String(),
    size: Type.Integer(),
    /** Only for the pointer of an LFS object. */
    lfs_oid: Type.Optional(Type.String()),
    lfs_size: Type.Optional(Type.Integer()),
  },
  { $id: 'GitBlobResponse' },
)
export type GitBlobResponse = Static<typeof GitBlobResponse>

export const Tag = Type.Object(
  {
    name: Type.String(),
    message: Type.String(),
    id: Type.String(),
    commit: CommitMeta,
    zipball_url: Type.String(),
    tarball_url: Type.String(),
    archive_download_count: TagArchiveDownloadCount,
  },
  { $id: 'Tag' },
)
export type Tag = Static<typeof Tag>

const AnnotatedTagObject = Type.Object(
  { type: Type.String(), url: Type.String(), sha: Type.String() },
  { $id: 'AnnotatedTagObject' },
)

export const AnnotatedTag = Type.Object(
  {
    tag: Type.String(),
    sha: Type.String(),
    url: Type.String(),
    message: Type.String(),
    tagger: CommitUser,
    object: AnnotatedTagObject,
    verification: PayloadCommitVerification,
    archive_download_count: TagArchiveDownloadCount,
  },
  { $id: 'AnnotatedTag' },
)
export type AnnotatedTag = Static<typeof AnnotatedTag>

export const CreateTagOption = Type.Object(
  {
    tag_name: GitRefName({ maxLength: 250 }),
    message: Type.Optional(Type.String({ maxLength: TEXT_LENGTH, description: 'Makes an annotated tag' })),
    target: Type.Optional(
      Type.String({ maxLength: PATH_LENGTH, description: 'Branch, tag or commit (default: the default branch)' }),
    ),
  },
  { $id: 'CreateTagOption' },
)
export type CreateTagOption = Static<typeof CreateTagOption>
