import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from '../../../core/http/answer/text.ts'
import { PAGE_LENGTH, NAME_LENGTH, LIST_ITEMS } from '../../../core/http/body/limits.ts'
import { AttachmentModel } from '../../repositories/index.ts'
import { UserModel } from '../../accounts/index.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { Issue } from './issue.model.ts'

const Time = Type.String({ format: 'date-time' })

export const Comment = Type.Object(
  {
    id: Type.Integer(),
    html_url: Type.String(),
    pull_request_url: Type.String({ description: 'Web page of the pull request; empty for a comment on an issue' }),
    issue_url: Type.String({ description: 'Web page of the issue; empty for a comment on a pull request' }),
    user: UserModel,
    original_author: Type.String(),
    original_author_id: Type.Integer(),
    body: Type.String(),
    commit_id: Type.String({ description: 'The commit that caused the comment; empty if none did' }),
    assets: Type.Array(AttachmentModel),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Comment' },
)
export type Comment = Static<typeof Comment>

const members = {
  body: Type.String({ maxLength: PAGE_LENGTH }),
  updated_at: Type.Optional(Timestamp({ description: 'For administrators of the repository' })),
}

export const CreateIssueCommentOption = Type.Object(members, { $id: 'CreateIssueCommentOption' })
export const EditIssueCommentOption = Type.Object(members, { $id: 'EditIssueCommentOption' })

const Name = Type.String({ maxLength: NAME_LENGTH, description: 'That of the path by default' })

export const IssueMeta = Type.Object(
  { owner: Type.Optional(Name), repo: Type.Optional(Name), index: Type.Optional(Type.Integer()) },
  { $id: 'IssueMeta' },
)
export type IssueMeta = Static<typeof IssueMeta>

/** A dependency of an issue; one that the requester may not read has no user. */
export const IssueDependency = Type.Object(
  { ...Issue.properties, user: Nullable(UserModel) },
  { $id: 'IssueDependency' },
)
export type IssueDependency = Static<typeof IssueDependency>

const LabelRef = Type.Union([Type.Integer(), Type.String({ maxLength: NAME_LENGTH })], {
  description: 'An id or a name',
  'x-refusal': 'a label must be an integer or a string',
})

export const IssueLabelsOption = Type.Object(
  {
    labels: Type.Optional(
      Type.Array(LabelRef, { maxItems: LIST_ITEMS, 'x-empty-items': 'absent', description: 'All ids, or all names' }),
    ),
    updated_at: Type.Optional(Timestamp()),
  },
  { $id: 'IssueLabelsOption' },
)
export type IssueLabelsOption = Static<typeof IssueLabelsOption>

export const DeleteLabelsOption = Type.Object({ updated_at: Type.Optional(Timestamp()) }, { $id: 'DeleteLabelsOption' })
