import { type Static, Type } from '@sinclair/typebox'
import { OneOf } from '../../../core/http/answer/text.ts'
import { NAME_LENGTH, PATH_LENGTH, TEXT_LENGTH } from '../../../core/http/body/limits.ts'
import { MERGE_ACTIONS } from './merge-request.ts'

const Title = Type.Optional(Type.String({ maxLength: PATH_LENGTH, description: 'First line of the message' }))
const Message = Type.Optional(Type.String({ maxLength: TEXT_LENGTH, description: 'What follows the title' }))
const CommitId = Type.Optional(
  Type.String({ maxLength: NAME_LENGTH, description: 'The commit that merged it; of manually-merged' }),
)

const Action = Type.Optional(OneOf(...MERGE_ACTIONS))

/** `do` or `Do` is required. When both spellings are present, the one in lower case wins. */
export const MergePullRequestOption = Type.Object(
  {
    Do: Action,
    do: Action,
    merge_title_field: Title,
    MergeTitleField: Title,
    merge_message_field: Message,
    MergeMessageField: Message,
    merge_commit_id: CommitId,
    MergeCommitID: CommitId,
    head_commit_id: Type.Optional(
      Type.String({ maxLength: NAME_LENGTH, description: 'Refused with 409 when the head is another commit' }),
    ),
    force_merge: Type.Optional(
      Type.Boolean({ description: 'An administrator overrides the protection of the branch' }),
    ),
    merge_when_checks_succeed: Type.Optional(
      Type.Boolean({ description: 'Merges as soon as the protection of the branch allows it' }),
    ),
    queue: Type.Optional(
      Type.Boolean({ description: 'Puts the pull request into the merge queue of its base, a protected branch' }),
    ),
    delete_branch_after_merge: Type.Optional(Type.Boolean({ description: 'Absent: the setting of the repository' })),
  },
  { $id: 'MergePullRequestOption' },
)
export type MergePullRequestOption = Static<typeof MergePullRequestOption>

export const MergeResult = Type.Object(
  {
    merged: Type.Boolean({ description: 'False when the merge is scheduled or queued' }),
    sha: Type.String({ description: 'The commit on the base; empty unless merged' }),
    message: Type.String(),
  },
  { $id: 'MergeResult' },
)

export const UpdatedHead = Type.Object(
  { sha: Type.String({ description: 'The commit that the head branch is at now' }), message: Type.String() },
  { $id: 'UpdatedHead' },
)
