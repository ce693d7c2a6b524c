import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from '../../../../core/http/answer/text.ts'
import { PAGE_LENGTH } from '../../../../core/http/body/limits.ts'
import { AttachmentModel } from '../../../repositories/index.ts'
import { UserModel } from '../../../accounts/index.ts'

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
