import { type Static, Type } from '@sinclair/typebox'
import { importedAuthorMembers } from '../../../../core/http/openapi/imported-author.ts'
import { LIST_ITEMS, NAME_LENGTH, PAGE_LENGTH } from '../../../../core/http/body/limits.ts'
import { Nullable } from '../../../../core/http/openapi/nullable.ts'
import { TeamModel, UserModel } from '../../../accounts/index.ts'
import { CreatePullReviewComment } from '../reviews.model.ts'

const Time = Type.String({ format: 'date-time' })
const Body = Type.Optional(Type.String({ maxLength: PAGE_LENGTH }))
const Event = Type.Optional(
  Type.String({ maxLength: NAME_LENGTH, description: 'APPROVED, REQUEST_CHANGES or COMMENT; others leave it pending' }),
)

export const PullReview = Type.Object(
  {
    id: Type.Integer(),
    user: Nullable(UserModel),
    ...importedAuthorMembers,
    team: Nullable(TeamModel),
    state: Type.String({ enum: ['APPROVED', 'PENDING', 'COMMENT', 'REQUEST_CHANGES', 'REQUEST_REVIEW'] }),
    body: Type.String(),
    commit_id: Type.String({ description: 'The commit that was reviewed; empty for a request' }),
    stale: Type.Boolean({ description: 'The changes are others since the review' }),
    official: Type.Boolean({ description: 'Counts for the protection of the base branch' }),
    dismissed: Type.Boolean(),
    comments_count: Type.Integer(),
    submitted_at: Time,
    updated_at: Time,
    html_url: Type.String(),
    pull_request_url: Type.String(),
  },
  { $id: 'PullReview' },
)
export type PullReview = Static<typeof PullReview>

export const CreatePullReviewOptions = Type.Object(
  {
    event: Event,
    body: Body,
    commit_id: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'The head unless given' })),
    comments: Type.Optional(Type.Array(CreatePullReviewComment, { maxItems: LIST_ITEMS })),
  },
  { $id: 'CreatePullReviewOptions' },
)

export const SubmitPullReviewOptions = Type.Object({ event: Event, body: Body }, { $id: 'SubmitPullReviewOptions' })

export const DismissPullReviewOptions = Type.Object(
  {
    message: Body,
    priors: Type.Optional(Type.Boolean({ description: 'Earlier reviews of the same reviewer too' })),
  },
  { $id: 'DismissPullReviewOptions' },
)
