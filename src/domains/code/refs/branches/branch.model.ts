import { Type, type Static } from '@sinclair/typebox'
import { PATH_LENGTH } from '../../../../core/http/body/limits.ts'
import { GitRefName } from '../../../../core/http/answer/text.ts'
import { PayloadCommit } from '../../history/commit.model.ts'

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
