import { Type, type Static } from '@sinclair/typebox'
import { GitRefName } from '../../http/text.ts'

export const CreateBranchRepoOption = Type.Object(
  {
    new_branch_name: GitRefName({ maxLength: 100, 'x-field': 'BranchName' }),
    old_branch_name: Type.Optional(Type.String({ description: 'Branch to start from' })),
    old_ref_name: Type.Optional(Type.String({ description: 'Branch, tag or commit to start from' })),
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
    new_commit_id: Type.String({ 'x-field': 'NewCommitID' }),
    old_commit_id: Type.Optional(Type.String({ description: 'Where the branch must be now' })),
    force: Type.Optional(Type.Boolean({ description: 'Let commits be left behind' })),
  },
  { $id: 'UpdateBranchRepoOption' },
)
export type UpdateBranchRepoOption = Static<typeof UpdateBranchRepoOption>

export const CreateTagOption = Type.Object(
  {
    tag_name: GitRefName({ maxLength: 250 }),
    message: Type.Optional(Type.String({ description: 'Makes an annotated tag' })),
    target: Type.Optional(Type.String({ description: 'Branch, tag or commit (default: the default branch)' })),
  },
  { $id: 'CreateTagOption' },
)
export type CreateTagOption = Static<typeof CreateTagOption>
