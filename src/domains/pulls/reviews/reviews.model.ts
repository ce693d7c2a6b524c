import { type Static, Type } from '@sinclair/typebox'
import { importedAuthorMembers } from '../../../core/http/openapi/imported-author.ts'
import { PAGE_LENGTH, PATH_LENGTH } from '../../../core/http/body/limits.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { UserModel } from '../../accounts/index.ts'
import { Names } from '../../../core/http/answer/text.ts'

const Time = Type.String({ format: 'date-time' })

export const PullReviewComment = Type.Object(
  {
    id: Type.Integer(),
    body: Type.String(),
    user: UserModel,
    ...importedAuthorMembers,
    resolver: Nullable(UserModel),
    pull_request_review_id: Type.Integer(),
    created_at: Time,
    updated_at: Time,
    path: Type.String(),
    commit_id: Type.String({ description: 'The commit that changed the line last' }),
    original_commit_id: Type.String(),
    diff_hunk: Type.String({ description: 'The part of the hunk that ends with the line' }),
    position: Type.Integer({ description: 'The line of the new file; 0 for a line of the old one' }),
    original_position: Type.Integer({ description: 'The line of the old file; 0 for a line of the new one' }),
    start_position: Type.Optional(
      Type.Integer({ description: 'The first line of several of the new file, of which `position` is the last' }),
    ),
    original_start_position: Type.Optional(
      Type.Integer({
        description: 'The first line of several of the old file, of which `original_position` is the last',
      }),
    ),
    extra_lines_count: Type.Integer({ description: 'The number of lines before the last one; 0 for a single line' }),
    html_url: Type.String(),
    pull_request_url: Type.String(),
  },
  { $id: 'PullReviewComment' },
)
export type PullReviewComment = Static<typeof PullReviewComment>

const Line = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, description }))

export const CreatePullReviewComment = Type.Object(
  {
    path: Type.Optional(Type.String({ maxLength: PATH_LENGTH })),
    body: Type.Optional(Type.String({ maxLength: PAGE_LENGTH })),
    new_position: Line('A line of the new file'),
    old_position: Line('A line of the old file'),
    new_start_position: Line('The first of several lines, of which `new_position` is the last'),
    old_start_position: Line('The first of several lines, of which `old_position` is the last'),
    extra_lines_count: Line('Another form of the first line: the number of lines before the last one'),
  },
  { $id: 'CreatePullReviewComment' },
)
export type CreatePullReviewComment = Static<typeof CreatePullReviewComment>

export const CreatePullReviewCommentOptions = Type.Object(CreatePullReviewComment.properties, {
  $id: 'CreatePullReviewCommentOptions',
})

export const CreatePullReviewCommentReplyOptions = Type.Object(
  { body: Type.String({ maxLength: PAGE_LENGTH }) },
  { $id: 'CreatePullReviewCommentReplyOptions' },
)

export const PullReviewRequestOptions = Type.Object(
  {
    reviewers: Type.Optional(Names({ description: 'Logins or e-mail addresses' })),
    team_reviewers: Type.Optional(Names({ description: 'Names of teams of the organization' })),
  },
  { $id: 'PullReviewRequestOptions' },
)
